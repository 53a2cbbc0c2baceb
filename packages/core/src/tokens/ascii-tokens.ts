/** Kinds of characters. A segment is a run of white space, of punctuation, or of anything else. */
const space = 1;
const punctuation = 2;
const digit = 3;
const lower = 4;
/** Capital letters, and the apostrophe. */
const other = 5;

/** The kinds by character code; 0 for control characters that are not white space: `asciiTokens` counts no text with them. */
const kinds = new Uint8Array(128).fill(punctuation, 0x21);
kinds.fill(digit, 0x30, 0x3a);
kinds.fill(lower, 0x61, 0x7b);
kinds.fill(other, 0x41, 0x5b);
kinds[0x27] = other;
kinds[0x7f] = 0;
for (const code of [0x20, 0x09, 0x0a, 0x0d]) kinds[code] = space;

const newline = 0x0a;

/**
 * Returns the count of `estimateTokenCount` of `tokenx` for ASCII text, some thirty times as fast; undefined for any
 * other text.
 */
export function asciiTokens(text: string): number | undefined {
  let tokens = 0;
  /** The kind of the segment before this one, if that was not white space. */
  let before = 0;
  for (let at = 0; at < text.length;) {
    const start = at;
    const kind = kindAt(text, at);
    if (kind === 0) return undefined;
    if (kind === space) {
      while (at < text.length && kindAt(text, at) === space) at += 1;
      tokens += tokensOfSpace(text, start, at, before);
      before = 0;
    } else if (kind === punctuation) {
      while (at < text.length && kindAt(text, at) === punctuation) at += 1;
      tokens += at - start <= 3 ? 1 : Math.ceil((at - start) / 6);
      before = punctuation;
    } else {
      let isOne = true;
      for (let next = kind; next > punctuation; next = at < text.length ? kindAt(text, at) : 0) {
        isOne &&= next === kind;
        at += 1;
      }
      tokens += tokensOfWord(at - start, isOne ? kind : other);
      before = other;
    }
  }
  return tokens;
}

function kindAt(text: string, index: number): number {
  const code = text.charCodeAt(index);
  return code < 128 ? (kinds[code] ?? 0) : 0;
}

/**
 * Returns the tokens of white space: one for a line break with its indentation, none for other spaces. A line break
 * without indentation shares the token of the punctuation before it.
 */
function tokensOfSpace(text: string, start: number, end: number, before: number): number {
  let isBroken = false;
  for (let at = start; at < end; at += 1) {
    if (isBroken) return 1;
    isBroken = text.charCodeAt(at) === newline;
  }
  return isBroken && before !== punctuation ? 1 : 0;
}

function tokensOfWord(length: number, kind: number): number {
  if (kind === digit) return Math.ceil(length / 3);
  if (length <= 3 || (length <= 8 && kind === lower)) return 1;
  return Math.ceil(length / 7);
}
