import stringWidth from 'fast-string-width';

/** Breaks text at spaces into lines of at most `columns`; longer words are left to the terminal. */
export function wrapWords(text: string, columns: number): string {
  return text
    .split('\n')
    .flatMap((line) => wrapLine(line, columns))
    .join('\n');
}

function wrapLine(line: string, columns: number): string[] {
  const lines: string[] = [];
  let current: string | undefined;
  for (const word of line.split(' ')) {
    const longer: string = current === undefined ? word : `${current} ${word}`;
    if (current !== undefined && stringWidth(longer) > columns) {
      lines.push(current);
      current = word;
    } else {
      current = longer;
    }
  }
  return [...lines, current ?? ''];
}
