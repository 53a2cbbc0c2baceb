/** A completion by Tab, and its alternatives. */
export interface Completion {
  readonly text: string;
  readonly choices: readonly string[];
}

/** Completes a prefix of these words, with a space after an only match; if several match, up to their common prefix. */
export function completeWord(text: string, words: readonly string[]): Completion {
  const choices = text === '' ? [] : words.filter((word) => word.startsWith(text));
  const start = commonStart(choices);
  if (start === undefined) return { text, choices };
  return { text: choices.length === 1 ? `${start} ` : start, choices };
}

/** Returns the longest common prefix of words; undefined for none. */
export function commonStart([first, ...others]: readonly string[]): string | undefined {
  if (first === undefined) return undefined;
  let start = '';
  for (const character of first) {
    if (!others.every((word) => word.startsWith(start + character))) break;
    start += character;
  }
  return start;
}
