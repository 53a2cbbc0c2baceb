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

interface Comment {
  readonly line: number;
  said: string;
}

const commentsOf = new Map<string, readonly Comment[]>();

/** Returns the places of comments that match. */
function commentsIn(path: string, pattern: RegExp): string[] {
  const comments = commentsOf.get(path) ?? readComments(path);
  commentsOf.set(path, comments);
  return comments
    .filter(({ said }) => pattern.test(said))
    .map(({ line, said }) => `${path}:${line}: ${said.slice(0, 80)}`);
}

/** Returns the comments of a file. A line that continues the one before it is part of that comment. */
function readComments(path: string): readonly Comment[] {
  const text = readFileSync(join(root, path), 'utf8');
  const comments: Comment[] = [];
  let end = -1;
  for (const { type, start, end: last, value } of parseSync(path, text).comments) {
    const said = value.replaceAll(/(?:^|\n)[\s*]+/g, ' ').trim();
    const before = comments.at(-1);
    const continues = type === 'Line' && end !== -1 && text.slice(end, start).trim() === '';
    if (continues && before !== undefined) before.said += ` ${said}`;
    else comments.push({ line: text.slice(0, start).split('\n').length, said });
    end = type === 'Line' ? last : -1;
  }
  return comments;
}
