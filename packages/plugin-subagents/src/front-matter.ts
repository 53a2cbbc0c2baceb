import { isMap, isNode, LineCounter, parseDocument } from 'yaml';

/** A place in a file, from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** A part of a file that cannot be used, and why. */
export interface Fault extends Position {
  readonly message: string;
}

/** A Markdown file, split at its front matter. */
export interface FrontMatter {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly body: string;
  /** Returns the place of a key; without such a key, that of the front matter. */
  readonly keyAt: (key: string) => Position;
  /** Returns the place of the value of a key. */
  readonly valueAt: (key: string) => Position;
}

const opening = /^\uFEFF?---[ \t]*\r?\n/;
const closing = /^---[ \t]*\r?$/m;

/** The most characters of front matter: far more than a definition needs, and parsed in milliseconds. */
const maxLength = 32 * 1024;

const top: Position = { line: 1, column: 1 };

/**
 * Splits a file into the YAML between its first two lines of `---` and the text below. Returns a fault if that is not
 * possible.
 */
export function readFrontMatter(text: string): FrontMatter | Fault {
  const start = opening.exec(text)?.[0].length;
  if (start === undefined)
    return { ...top, message: 'it does not start with front matter: its first line must be "---"' };
  const rest = text.slice(start);
  const end = closing.exec(rest);
  if (end === null) return { ...top, message: 'its front matter is not closed: a line "---" is missing' };
  if (end.index > maxLength)
    return { ...top, message: `its front matter has more than ${maxLength} characters` };
  const body = rest
    .slice(end.index + end[0].length)
    .replaceAll('\r\n', '\n')
    .trim();
  const fields = readFields(rest.slice(0, end.index));
  return 'message' in fields ? fields : { ...fields, body };
}

function readFields(yaml: string): Omit<FrontMatter, 'body'> | Fault {
  const lineCounter = new LineCounter();
  const document = parseDocument(yaml, { lineCounter, prettyErrors: false });
  const placeOf = (offset: number): Position => {
    const { line, col } = lineCounter.linePos(offset);
    // The YAML begins in the second line of the file.
    return { line: line + 1, column: col };
  };
  const [problem] = document.errors;
  if (problem !== undefined)
    return {
      ...placeOf(problem.pos[0]),
      message: `its front matter is not valid YAML: ${problem.message.split('\n', 1)[0]}`,
    };
  const { contents } = document;
  if (!isMap(contents)) return { ...top, message: 'its front matter is no map; write keys with values' };
  const pairs = new Map(contents.items.map((pair) => [String(pair.key), pair]));
  const startOf = (node: unknown): Position | undefined =>
    isNode(node) && node.range ? placeOf(node.range[0]) : undefined;
  const keyAt = (key: string): Position => startOf(pairs.get(key)?.key) ?? top;
  return {
    // The check above ensures that this is a map. Each value is checked where it is used.
    fields: document.toJS({ maxAliasCount: 100 }) as Readonly<Record<string, unknown>>,
    keyAt,
    valueAt: (key) => startOf(pairs.get(key)?.value) ?? keyAt(key),
  };
}
