import type { Tool } from '@shallot/core';

import { stem } from './stem.ts';
import { synonymsBy } from './synonyms.ts';

/** Words of the name count more than words of the description, and exact matches more than similar words. */
const weights = { name: 4, description: 1, synonym: 0.5, beginning: 0.4 };

/** Words of a query that say nothing about a tool. */
const stopWords: ReadonlySet<string> = new Set(
  (
    'a about after am an and any are as at be been before but by can could do does for from had has have how i if in ' +
    'into is it its like me my need of off on onto or our out over please some somebody someone something than that the ' +
    'their them then there these they this those to tool tools up us want was we were what when which who will with ' +
    'would you your'
  ).split(' '),
);

const synonyms = synonymsBy(stem);

/** A tool with its score in a search. */
export interface RankedTool {
  readonly tool: Tool;
  readonly score: number;
}

/**
 * Returns the tools that fit a text by words of name and description, best first. A word matches in all its forms;
 * common synonyms match, too, but count less.
 */
export function rankTools(text: string, tools: readonly Tool[]): readonly RankedTool[] {
  const documents = tools.map((tool) => ({
    tool,
    name: wordsOf(tool.name),
    description: new Set(meaningful(wordsOf(tool.description))),
    score: 0,
  }));
  const all = wordsOf(text);
  const words = meaningful(all);
  for (const word of new Set(words.length === 0 ? all : words)) {
    const found = documents.map(({ name, description }) =>
      Math.max(weights.name * fit(word, name), weights.description * fit(word, description)),
    );
    const hits = found.filter((each) => each > 0).length;
    // Words that match most tools distinguish them least.
    const rarity = Math.log(1 + documents.length / Math.max(1, hits));
    for (const [index, document] of documents.entries()) document.score += (found[index] ?? 0) * rarity;
  }
  return (
    documents
      .filter(({ score }) => score > 0)
      // Among equal scores, the shorter name is the likelier match.
      .toSorted((a, b) => b.score - a.score || a.name.length - b.name.length)
      .map(({ tool, score }) => ({ tool, score }))
  );
}

function fit(word: string, words: Iterable<string>): number {
  const same = synonyms.get(word);
  let best = 0;
  for (const each of words) {
    if (each === word) return 1;
    if (same?.has(each) === true) best = Math.max(best, weights.synonym);
    else if (word.length > 3 && each.startsWith(word)) best = Math.max(best, weights.beginning);
  }
  return best;
}

function meaningful(words: readonly string[]): readonly string[] {
  return words.filter((word) => !stopStems.has(word));
}

const stopStems: ReadonlySet<string> = new Set([...stopWords].map(stem));

/** Returns the stems of the words of a text. `readFile`, `read_file` and `read-file` are two words each. */
function wordsOf(text: string): string[] {
  const words = text
    .replace(/(\p{Ll})(?=\p{Lu})/gu, '$1 ')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu);
  return (words ?? []).map(stem);
}
