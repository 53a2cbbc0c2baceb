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
  /** The draft on the terminal; undefined if there is none. */
  #drawn: Draft | undefined;

  constructor(output: Io['stderr'], paint: (prompt: string) => string) {
    this.#output = output;
    this.#paint = paint;
  }

  /** Replaces the drawn draft, even if the width of the terminal has changed. */
  draw(draft: Draft): void {
    const { rows, row, column } = this.#layOut(draft);
    const shown = rows.map((text, index) => `${index === 0 ? this.#paint(prompt) : indent}${text}`);
    const up = rows.length - 1 - row;
    this.#output.write(
      `${this.#toStart()}${shown.join('\r\n')}${up > 0 ? `\u001b[${up}A` : ''}\r\u001b[${column + indent.length}C`,
    );
    this.#drawn = draft;
  }

  /** Leaves the draft on the terminal, and moves below it. */
  leave(draft: Draft): void {
    this.draw({ ...draft, cursor: draft.text.length });
    this.#output.write('\r\n');
    this.#drawn = undefined;
  }

  /** Erases the draft. */
  erase(): void {
    this.#output.write(this.#toStart());
    this.#drawn = undefined;
  }

  /** Forgets the drawn draft after the terminal was cleared. */
  forget(): void {
    this.#drawn = undefined;
  }

  #toStart(): string {
    const up = this.#drawn === undefined ? 0 : this.#layOut(this.#drawn).row;
    return `\r${up > 0 ? `\u001b[${up}A` : ''}\u001b[J`;
  }

  #layOut(draft: Draft): Layout {
    // Leaves the last column free, because terminals differ in their cursor position after filling it.
    const layout = layOut(draft, columnsOf(this.#output) - indent.length - 1);
    const { rows = usualRows } = this.#output;
    const height = Math.max((rows > 0 ? rows : usualRows) - 1, 1);
    const start = Math.min(Math.max(layout.row - height + 1, 0), Math.max(layout.rows.length - height, 0));
    return { ...layout, rows: layout.rows.slice(start, start + height), row: layout.row - start };
  }
}
