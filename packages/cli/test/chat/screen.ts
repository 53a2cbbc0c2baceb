// eslint-disable-next-line no-control-regex -- escape sequences begin with the escape character
const parts = /\u001b\[([?\d;]*)([A-Za-z])|[\s\S]/gu;

/**
 * Returns the text that a terminal shows after an output. Of the cursor movements, it applies the few that the chat
 * makes.
 */
export function screenText(output: string): string {
  const lines: string[][] = [[]];
  let row = 0;
  let column = 0;
  const lineAt = (index: number): string[] => {
    while (lines.length <= index) lines.push([]);
    return lines[index] ?? [];
  };
  const moves: Readonly<Record<string, (count: number) => void>> = {
    A: (count) => (row = Math.max(row - count, 0)),
    C: (count) => (column += count),
    J: () => {
      lineAt(row).length = column;
      lines.length = row + 1;
    },
  };
  for (const [character, count = '', move] of output.matchAll(parts)) {
    if (move !== undefined) moves[move]?.(Number(count) || 1);
    else if (character === '\r') column = 0;
    else if (character === '\n') row += 1;
    else {
      const line = lineAt(row);
      while (line.length < column) line.push(' ');
      line[column] = character;
      column += 1;
    }
  }
  return lines.map((line) => line.join('').trimEnd()).join('\n');
}
