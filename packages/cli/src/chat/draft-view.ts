import type { Io } from '../terminal/io.ts';
import { columnsOf } from '../terminal/terminal-width.ts';
import type { Draft } from './draft.ts';
import { layOut, type Layout } from './lay-out.ts';

const prompt = '> ';
const indent = '  ';
const usualRows = 24;

/** Draws a draft on a terminal, in place. A draft that is higher than the terminal is shown around the cursor. */
export class DraftView {
  readonly #output: Io['stderr'];
  readonly #paint: (prompt: string) => string;
  /** What is on the terminal now; undefined when nothing is. */
  #drawn: Draft | undefined;

  constructor(output: Io['stderr'], paint: (prompt: string) => string) {
    this.#output = output;
    this.#paint = paint;
  }

  /** Takes the place of what was drawn before, also when the terminal has got another width since. */
  draw(draft: Draft): void {
    const { rows, row, column } = this.#layOut(draft);
    const shown = rows.map((text, index) => `${index === 0 ? this.#paint(prompt) : indent}${text}`);
    const up = rows.length - 1 - row;
    this.#output.write(
      `${this.#toStart()}${shown.join('\r\n')}${up > 0 ? `\u001b[${up}A` : ''}\r\u001b[${column + indent.length}C`,
    );
    this.#drawn = draft;
  }

  /** Leaves the draft where it is, and goes below it. */
  leave(draft: Draft): void {
    this.draw({ ...draft, cursor: draft.text.length });
    this.#output.write('\r\n');
    this.#drawn = undefined;
  }

  /** Takes the draft from the terminal. */
  erase(): void {
    this.#output.write(this.#toStart());
    this.#drawn = undefined;
  }

  /** Somebody else has cleared the terminal. */
  forget(): void {
    this.#drawn = undefined;
  }

  #toStart(): string {
    const up = this.#drawn === undefined ? 0 : this.#layOut(this.#drawn).row;
    return `\r${up > 0 ? `\u001b[${up}A` : ''}\u001b[J`;
  }

  #layOut(draft: Draft): Layout {
    // The last column stays free: terminals differ in where the cursor is when it is filled.
    const layout = layOut(draft, columnsOf(this.#output) - indent.length - 1);
    const { rows = usualRows } = this.#output;
    const height = Math.max((rows > 0 ? rows : usualRows) - 1, 1);
    const start = Math.min(Math.max(layout.row - height + 1, 0), Math.max(layout.rows.length - height, 0));
    return { ...layout, rows: layout.rows.slice(start, start + height), row: layout.row - start };
  }
}
