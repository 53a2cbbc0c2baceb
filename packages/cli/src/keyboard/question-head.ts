import type { Screen } from '../terminal/screen.ts';
import { columnsOf } from '../terminal/terminal-width.ts';
import { wrapWords } from '../terminal/wrap-words.ts';

const indent = '  ';

/** Returns the rows of a question above its choices. */
export function questionHead(message: string, { io, paintNotes }: Screen): readonly string[] {
  const [head = '', ...more] = wrapWords(message, columnsOf(io.stderr) - indent.length).split('\n');
  const { cyan, bold } = paintNotes;
  return [`${cyan('?')} ${bold(head)}`, ...more.map((text) => `${indent}${bold(text)}`)];
}

/** Returns the rows that say which keys a question takes. */
export function hintRows(hint: string, { io, paintNotes }: Screen): readonly string[] {
  const rows = wrapWords(hint, columnsOf(io.stderr) - indent.length).split('\n');
  return rows.map((text) => `${indent}${paintNotes.dim(text)}`);
}

/** Returns the line that remains on the terminal after a question was answered. */
export function settled(message: string, answer: string, { io, paintNotes }: Screen): string {
  const [head = '', ...more] = wrapWords(`${message}  ${answer}`, columnsOf(io.stderr) - indent.length).split(
    '\n',
  );
  return [`${paintNotes.green('✓')} ${head}`, ...more.map((text) => `${indent}${text}`)].join('\r\n');
}
