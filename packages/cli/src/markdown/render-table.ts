import stringWidth from 'fast-string-width';
import type { Tokens } from 'marked';

import type { Paint } from '../terminal/screen.ts';
import { inside } from './parse-markdown.ts';
import { renderInline } from './render-inline.ts';
import { wrapText } from './wrap-text.ts';

const gap = ' │ ';
const narrowestColumn = 4;

/** Renders a table as lines. Cells are wrapped if it is too wide; if that is not enough, each row becomes a list. */
export function renderTable(table: Tokens.Table, width: number, paint: Paint): readonly string[] {
  const render = (cells: readonly Tokens.TableCell[]): string[] =>
    cells.map((cell) => renderInline(inside(cell), paint));
  const header = render(table.header).map((cell) => paint.bold(cell));
  const rows = table.rows.map(render);
  const available = width - gap.length * (header.length - 1);
  if (available < header.length * narrowestColumn) return asLists(header, rows);
  const natural = header.map((cell, column) =>
    Math.max(1, ...[cell, ...rows.map((row) => row[column] ?? '')].map((text) => stringWidth(text))),
  );
  const widths = fit(natural, available);
  const line = (cells: readonly string[]): string[] => rowLines(cells, widths, table.align, paint);
  const rule = widths.map((each) => '─'.repeat(each)).join('─┼─');
  return [...line(header), paint.dim(rule), ...rows.flatMap(line)];
}

/** Returns the widths of columns that fit. The widest columns shrink first. */
function fit(natural: readonly number[], available: number): readonly number[] {
  let limit = Math.max(...natural);
  const sum = (): number => natural.reduce((total, each) => total + Math.min(each, limit), 0);
  while (limit > narrowestColumn && sum() > available) limit -= 1;
  return natural.map((each) => Math.min(each, limit));
}

function rowLines(
  cells: readonly string[],
  widths: readonly number[],
  align: Tokens.Table['align'],
  paint: Paint,
): string[] {
  const columns = widths.map((width, column) => wrapText(cells[column] ?? '', width));
  const height = Math.max(...columns.map(({ length }) => length));
  return Array.from({ length: height }, (_, row) =>
    columns
      .map((lines, column) => pad(lines[row] ?? '', widths[column] ?? 0, align[column]))
      .join(paint.dim(gap))
      .trimEnd(),
  );
}

function pad(text: string, width: number, align: Tokens.Table['align'][number] | undefined): string {
  const space = Math.max(width - stringWidth(text), 0);
  const before = align === 'right' ? space : align === 'center' ? Math.floor(space / 2) : 0;
  return `${' '.repeat(before)}${text}${' '.repeat(space - before)}`;
}

function asLists(header: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  return rows.flatMap((row, index) => [
    ...(index === 0 ? [] : ['']),
    ...row.map((cell, column) => `${header[column] ?? ''}: ${cell}`),
  ]);
}
