/** A completion by Tab, and its alternatives. */
export interface Completion {
  readonly text: string;
  readonly choices: readonly string[];
}

/** Completes a prefix of these words; if several match, up to their common prefix. */
export function completeWord(text: string, words: readonly string[]): Completion {
  const choices = words.filter((word) => word.startsWith(text));
  const [first] = choices;
  if (first === undefined || text === '') return { text, choices: [] };
  if (choices.length === 1) return { text: `${first} `, choices };
  let common = text.length;
  while (choices.every((word) => word.length > common && word[common] === first[common])) common += 1;
  return { text: first.slice(0, common), choices };
}
