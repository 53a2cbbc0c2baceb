import type { Screen } from '../terminal/screen.ts';
import { DraftView, type Drawing, type View } from './draft-view.ts';

/**
 * Draws a draft below the output of a screen, which continues meanwhile. An empty draft, or one that is left, is
 * erased.
 */
export class FooterView implements View {
  readonly #screen: Screen;
  readonly #view: DraftView;
  #isLeft = false;

  constructor(screen: Screen) {
    this.#screen = screen;
    this.#view = new DraftView(screen.io.stderr);
  }

  draw(drawing: Drawing): void {
    if (this.#isLeft) return;
    if (drawing.draft.text === '') this.erase();
    else this.#screen.footer({ draw: () => this.#view.draw(drawing), erase: () => this.#view.erase() });
  }

  leave(): void {
    this.erase();
    this.#isLeft = true;
  }

  print(line: string): void {
    this.#screen.note(line);
  }

  erase(): void {
    this.#screen.footer(undefined);
  }

  forget(): void {
    this.#view.forget();
  }
}
