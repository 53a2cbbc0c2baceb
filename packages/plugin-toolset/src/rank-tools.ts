import type { Tool } from '@shallot/core';

/** A word of the name says more than one of the description; the beginning of a word says less than all of it. */
const weights = { name: 4, description: 1, beginning: 0.5 };

/** The tools that fit a text best by words of name and description, best first; those that fit in no word are left out. */
export function rankTools(text: string, tools: readonly Tool[]): readonly Tool[] {
  const documents = tools.map((tool) => ({
    tool,
    name: wordsOf(tool.name),
    // Short words of prose say nothing: `a`, `to`, `of`.
    description: wordsOf(tool.description).filter((word) => word.length > 2),
  }));
  const score = ({ name, description }: (typeof documents)[number], word: string): number =>
    Math.max(weights.name * fit(word, name), weights.description * fit(word, description));
  const scores = documents.map(() => 0);
  for (const word of new Set(wordsOf(text))) {
    const found = documents.map((document) => score(document, word));
    const hits = found.filter((each) => each > 0).length;
    // A word that fits most tools tells them apart the least.
    const rarity = Math.log(1 + documents.length / Math.max(1, hits));
    for (const [index, each] of found.entries()) scores[index] = (scores[index] ?? 0) + each * rarity;
  }
  return documents
    .map(({ tool }, index) => ({ tool, score: scores[index] ?? 0 }))
    .filter((each) => each.score > 0)
    .toSorted((a, b) => b.score - a.score)
    .map(({ tool }) => tool);
}

function fit(word: string, words: readonly string[]): number {
  if (words.includes(word)) return 1;
  const begins = word.length > 2 && words.some((each) => each.startsWith(word) || isInflected(word, each));
  return begins ? weights.beginning : 0;
}

/** Tells whether a word is another one with a short ending: `files` and `file`, `searching` and `search`. */
function isInflected(word: string, stem: string): boolean {
  return stem.length > 2 && word.startsWith(stem) && word.length - stem.length <= 3;
}

/** `readFile`, `read_file` and `read-file` are two words each. */
function wordsOf(text: string): string[] {
  return (
    text
      .replace(/(\p{Ll})(?=\p{Lu})/gu, '$1 ')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}
