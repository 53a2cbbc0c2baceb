/** A passage of a text, by its positions. */
export interface Passage {
  readonly from: number;
  readonly to: number;
}

/** A line of a text without the white space at its end. */
interface Line {
  /** The position of the line in the text. */
  readonly at: number;
  /** Its position in the loose text. */
  readonly looseAt: number;
  /** The length of its content. */
  readonly length: number;
}

/** A text without white space at the ends of lines, with line feeds and straight quotes. */
interface LooseText {
  readonly text: string;
  readonly lines: readonly Line[];
}

/**
 * Finds the passage that differs from the wanted text only in white space at the ends of lines, in line endings and in
 * the shape of quotes, which models often write differently from the file. White space at the end of the wanted text is
 * ignored only if a line of the text ends there, too. Returns undefined unless exactly one passage matches, and for a
 * blank text.
 */
export function loosePassage(text: string, wanted: string): Passage | undefined {
  const loose = loosen(text);
  const { text: looseWanted } = loosen(wanted);
  if (looseWanted.trim() === '') return undefined;
  // `const a ` within `const ab` would lose its last character.
  const lineEnd = /[^\S\n]$/.test(wanted) ? '\n' : '';
  const [searched, sought] = [loose.text + lineEnd, looseWanted + lineEnd];
  const at = searched.indexOf(sought);
  if (at === -1 || searched.includes(sought, at + 1)) return undefined;
  return { from: positionOf(loose, at), to: positionOf(loose, at + looseWanted.length) };
}

const quotes: Readonly<Record<string, string>> = {
  '\u2018': "'",
  '\u2019': "'",
  '\u201C': '"',
  '\u201D': '"',
};

function loosen(text: string): LooseText {
  const lines: Line[] = [];
  const contents: string[] = [];
  let at = 0;
  let looseAt = 0;
  for (const line of text.split('\n')) {
    const content = line.trimEnd();
    lines.push({ at, looseAt, length: content.length });
    contents.push(content.replaceAll(/[\u2018\u2019\u201C\u201D]/g, (quote) => quotes[quote] ?? quote));
    at += line.length + 1;
    looseAt += content.length + 1;
  }
  return { text: contents.join('\n'), lines };
}

/** Returns the position in the text of a position in the loose text. */
function positionOf({ lines }: LooseText, looseAt: number): number {
  const line = lines.findLast((each) => each.looseAt <= looseAt);
  return line === undefined ? 0 : line.at + Math.min(looseAt - line.looseAt, line.length);
}
