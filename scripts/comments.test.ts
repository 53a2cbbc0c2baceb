import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { parseSync } from 'oxc-parser';
import { expect, it } from 'vitest';

import { root } from './workspace.ts';

/** Openings of noun clauses, which cannot be read aloud: "What a tool gives.", "Whether it is open." */
const opening = /^(?:What|Who|Whose|Whoever|Whether|That|Of)\b/;

/** Openings and turns of older comments that readers stumbled over. The tests have some of them left. */
const stumbled = /^(?:How|Tells whether|Those)\b|\b(?:[Ww]hoever|anew|in peace|under way|all the same)\b/;

const paths = globSync('{packages,scripts,bench,examples}/**/*.{ts,tsx}', {
  cwd: root,
  exclude: (path) => /(?:^|\/)(?:node_modules|dist)$/.test(path),
});

it('no comment opens with a noun clause', () => {
  expect(paths.length).toBeGreaterThan(1000);
  expect(paths.flatMap((path) => commentsIn(path, opening))).toEqual([]);
});

it('no comment of a package has a turn that readers stumble over', () => {
  const sources = paths.filter((path) => /^packages\/[^/]+\/src\/.*(?<!\.test)\.tsx?$/.test(path));
  expect(sources.length).toBeGreaterThan(500);
  expect(sources.flatMap((path) => commentsIn(path, stumbled))).toEqual([]);
});

/** Returns the places of comments that match. A line that continues the one before it is part of that comment. */
function commentsIn(path: string, pattern: RegExp): string[] {
  const text = readFileSync(join(root, path), 'utf8');
  // Most files have none of the words anywhere, and need no parser.
  if (!new RegExp(pattern.source.replaceAll('^', '')).test(text)) return [];
  const comments: { start: number; said: string }[] = [];
  let end = -1;
  for (const { type, start, end: last, value } of parseSync(path, text).comments) {
    const said = value.replaceAll(/(?:^|\n)[\s*]+/g, ' ').trim();
    const before = comments.at(-1);
    const continues = type === 'Line' && end !== -1 && text.slice(end, start).trim() === '';
    if (continues && before !== undefined) before.said += ` ${said}`;
    else comments.push({ start, said });
    end = type === 'Line' ? last : -1;
  }
  return comments
    .filter(({ said }) => pattern.test(said))
    .map(({ start, said }) => `${path}:${text.slice(0, start).split('\n').length}: ${said.slice(0, 80)}`);
}
