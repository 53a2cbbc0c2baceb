import type { Skill } from '../finding/load-skills.ts';
import { cut } from './skill-list.ts';

/** The maximum number of skills shown, and the maximum length of their descriptions. */
const maxFound = 20;
const maxShown = 300;
const maxWords = 20;

/**
 * Describes for a model the skills that fit words best: those with more of the words first, and names before
 * descriptions.
 */
export function describeFound(skills: Iterable<Skill>, text: string, toolName: string): string {
  const words = [...new Set(wordsOf(text))].slice(0, maxWords);
  const found = [...skills]
    .map((skill) => ({ skill, score: scoreOf(skill, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score);
  if (found.length === 0) return `No skill fits "${cut(text, 100)}". Try other words, or fewer.`;
  const shown = found
    .slice(0, maxFound)
    .map(({ skill: { name, description } }) => `- ${name}: ${cut(description, maxShown)}`);
  const more =
    found.length > maxFound ? [`… and ${found.length - maxFound} more: use more exact words.`] : [];
  return [`Read one with ${toolName} and its name:`, ...shown, ...more].join('\n');
}

function scoreOf({ name, description }: Skill, words: readonly string[]): number {
  const names = wordsOf(name);
  const others = normalize(description);
  let score = 0;
  for (const word of words) {
    if (names.includes(word)) score += 14;
    else if (names.some((each) => each.startsWith(word))) score += 12;
    else if (others.includes(word)) score += 10;
  }
  return score;
}

function wordsOf(text: string): string[] {
  return normalize(text).match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
}

/** Normalizes case and Unicode forms. */
function normalize(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}
