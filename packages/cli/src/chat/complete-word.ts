/** What a text becomes by Tab, and what it could become. */
export interface Completion {
  readonly text: string;
  readonly choices: readonly string[];
}

/** Completes a text that is the beginning of one of these words; when it is of several, as far as they agree. */
export function completeWord(text: string, words: readonly string[]): Completion {
  const choices = words.filter((word) => word.startsWith(text));
  const [first] = choices;
  if (first === undefined || text === '') return { text, choices: [] };
  if (choices.length === 1) return { text: `${first} `, choices };
  let common = text.length;
  while (choices.every((word) => word.length > common && word[common] === first[common])) common += 1;
  return { text: first.slice(0, common), choices };
}
