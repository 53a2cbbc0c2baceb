import stringWidth from 'fast-string-width';

import type { Io } from '../terminal/io.ts';
import { columnsOf } from '../terminal/terminal-width.ts';
import type { Draft } from './draft.ts';
import { layOut, type Layout } from './lay-out.ts';

/** A draft, and the rows above it, which fit into the terminal. */
export interface Drawing {
  readonly above?: readonly string[];
  /** The text before the draft, two columns wide. */
  readonly prompt: string;
  readonly draft: Draft;
}

const indent = '  ';
const usualRows = 24;

/** Returns the rows of a terminal; the usual number if it reports none, or 0. */
export function rowsOf({ rows = usualRows }: { readonly rows?: number }): number {
  return rows > 0 ? rows : usualRows;
}

/** The place where a draft is drawn. */
export interface View {
  /** Replaces the drawing, even if the width of the terminal has changed. */
  draw(drawing: Drawing): void;
  /** Leaves a drawing on the terminal, and moves below it. */
  leave(drawing: Drawing): void;
  /** Erases the drawing, and writes a line in its place. */
  print(line: string): void;
  erase(): void;
  /** Forgets the drawing after the terminal was cleared. */
  forget(): void;
}

/** Draws a draft on a terminal, in place. A draft that is higher than the terminal is shown around the cursor. */
export class DraftView implements View {
  readonly #output: Io['stderr'];
  /** The drawing on the terminal; undefined if there is none. */
  #drawn: Drawing | undefined;

  constructor(output: Io['stderr']) {
    this.#output = output;
  }

  draw({ above = [], prompt, draft }: Drawing): void {
    const { rows, row, column } = this.#layOut(draft);
    const left = Math.max(this.#height - rows.length, 0);
    const shown = above.slice(Math.max(above.length - left, 0));
    const lines = [...shown, ...rows.map((text, index) => `${index === 0 ? prompt : indent}${text}`)];
    const up = rows.length - 1 - row;
    this.#output.write(
      `${this.#toStart()}${lines.join('\r\n')}${up > 0 ? `\u001b[${up}A` : ''}\r\u001b[${column + indent.length}C`,
    );
    this.#drawn = { above: shown, prompt, draft };
  }

  leave({ draft, ...drawing }: Drawing): void {
    this.draw({ ...drawing, draft: { ...draft, cursor: draft.text.length } });
    this.#output.write('\r\n');
    this.#drawn = undefined;
  }

  print(line: string): void {
    this.erase();
    this.#output.write(`${line}\r\n`);
  }

  erase(): void {
    this.#output.write(this.#toStart());
    this.#drawn = undefined;
  }

  forget(): void {
    this.#drawn = undefined;
  }

  #toStart(): string {
    const up = this.#drawn === undefined ? 0 : this.#rowsAboveCursor(this.#drawn);
    return `\r${up > 0 ? `\u001b[${up}A` : ''}\u001b[J`;
  }

  #rowsAboveCursor({ above = [], draft }: Drawing): number {
    const columns = columnsOf(this.#output);
    // A terminal that became narrower has wrapped the rows.
    const rows = above.map((text) => Math.max(Math.ceil(stringWidth(text) / columns), 1));
    return rows.reduce((sum, each) => sum + each, 0) + this.#layOut(draft).row;
  }

  get #height(): number {
    return Math.max(rowsOf(this.#output) - 1, 1);
  }

  #layOut(draft: Draft): Layout {
    // Leaves the last column free, because terminals differ in their cursor position after filling it.
    const layout = layOut(draft, columnsOf(this.#output) - indent.length - 1);
    const height = this.#height;
    const start = Math.min(Math.max(layout.row - height + 1, 0), Math.max(layout.rows.length - height, 0));
    return { ...layout, rows: layout.rows.slice(start, start + height), row: layout.row - start };
  }
}
