import { Writable } from 'node:stream';

import type { Io } from './io.ts';
import { columnsOf } from './terminal-width.ts';

/** The same terminal, with as many columns as one usually has if it says that it has none. */
export function sized(terminal: Io['stderr']): Io['stderr'] {
  const columns = columnsOf(terminal);
  if (columns === terminal.columns) return terminal;
  const output = new Writable({
    decodeStrings: false,
    write: (text: string, _encoding, done) => void terminal.write(text, done),
  });
  return Object.assign(output, { isTTY: true, columns });
}
