import stringWidth from 'fast-string-width';

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
/* eslint-disable no-control-regex -- what colours begin with */
const colour = /\u001b\[(\d+)m/g;
const betweenColours = /(\u001b\[\d+m)/;
/* eslint-enable no-control-regex */

/**
 * Breaks text into lines of at most `width` columns, at spaces if possible. Colors are closed at the end of a line and
 * reopened on the next, so that they do not affect text beside the lines.
 */
export function wrapText(text: string, width: number): readonly string[] {
  return closeColours(text.split('\n').flatMap((line) => wrapLine(line, width)));
}

function wrapLine(line: string, width: number): readonly string[] {
  if (stringWidth(line) <= width) return [line.trimEnd()];
  const lines: string[] = [];
  let current = '';
  let used = 0;
  const breakLine = (): void => {
    lines.push(current.trimEnd());
    current = '';
    used = 0;
  };
  const add = (text: string, columns: number): void => {
    current += text;
    used += columns;
  };
  for (const word of line.split(/(?<= )(?! )/)) {
    const columns = stringWidth(word.trimEnd());
    if (used + columns > width && used > 0 && !breaksAnywhere(word, width)) breakLine();
    if (used + columns <= width) {
      add(word, stringWidth(word));
      continue;
    }
    for (const piece of pieces(word)) {
      const wide = stringWidth(piece);
      if (used + wide > width && used > 0) breakLine();
      add(piece, wide);
    }
  }
  breakLine();
  return lines;
}

/** Returns true for a word wider than a line, or in a script without spaces. */
function breaksAnywhere(word: string, width: number): boolean {
  return (
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u.test(word) ||
    stringWidth(word) > width
  );
}

/** Splits a word into graphemes and color escape sequences. */
function pieces(word: string): readonly string[] {
  return word
    .split(betweenColours)
    .flatMap((part) =>
      part.startsWith('\u001b[') ? [part] : Array.from(graphemes.segment(part), ({ segment }) => segment),
    );
}

/** The style codes that each end code resets. */
const endings: ReadonlyMap<string, (code: string) => boolean> = new Map([
  ['22', (code) => code === '1' || code === '2'],
  ['23', (code) => code === '3'],
  ['24', (code) => code === '4'],
  ['29', (code) => code === '9'],
  ['39', (code) => /^[39]\d$/.test(code)],
]);

function closeColours(lines: readonly string[]): readonly string[] {
  let open: readonly string[] = [];
  return lines.map((line) => {
    const before = open;
    for (const [, code = ''] of line.matchAll(colour)) {
      const ends = endings.get(code);
      open = ends === undefined ? [...open, code] : open.filter((each) => !ends(each));
    }
    return `${sequences(before)}${line}${open.length === 0 ? '' : '\u001b[0m'}`;
  });
}

function sequences(codes: readonly string[]): string {
  return codes.map((code) => `\u001b[${code}m`).join('');
}
