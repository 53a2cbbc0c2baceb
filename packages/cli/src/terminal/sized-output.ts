import { Writable } from 'node:stream';

import type { Io } from './io.ts';
import { columnsOf } from './terminal-width.ts';

/** Returns the terminal with a usual width if it reports none. */
export function sized(terminal: Io['stderr']): Io['stderr'] {
  const columns = columnsOf(terminal);
  if (columns === terminal.columns) return terminal;
  const output = new Writable({
    decodeStrings: false,
    write: (text: string, _encoding, done) => void terminal.write(text, done),
  });
  return Object.assign(output, { isTTY: true, columns });
}
