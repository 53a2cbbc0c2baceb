/** Formats a figure for a cell of a table. */
export function rounded(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return '–';
  const digits = Math.abs(value) < 10 ? 2 : Math.abs(value) < 100 ? 1 : 0;
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** Returns a line for each row, with the cells padded into columns: the first is aligned left, the others right. */
export function align(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, cell.length);
  }
  return rows
    .map((row) => {
      const cells = row.map((cell, index) =>
        index === 0 ? cell.padEnd(widths[index] ?? 0) : cell.padStart(widths[index] ?? 0),
      );
      return `  ${cells.join('  ').trimEnd()}`;
    })
    .join('\n');
}
