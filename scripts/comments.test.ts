import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { parseSync } from 'oxc-parser';
import { expect, it } from 'vitest';

import { root } from './workspace.ts';

/** Openings of noun clauses, which cannot be read aloud: "What a tool gives.", "Whether it is open." */
const opening = /^(?:What|Who|Whose|Whoever|Whether|That|Of)\b/;

it('no comment opens with a noun clause', () => {
  const paths = globSync('{packages,scripts,bench,examples}/**/*.ts', {
    cwd: root,
    exclude: (path) => /(?:^|\/)(?:node_modules|dist)$/.test(path),
  });
  expect(paths.length).toBeGreaterThan(1000);
  expect(paths.flatMap(openingsIn)).toEqual([]);
});

/** Returns the places of such comments. A line that continues the one before it opens nothing. */
function openingsIn(path: string): string[] {
  const text = readFileSync(join(root, path), 'utf8');
  let end = -1;
  return parseSync(path, text).comments.flatMap(({ type, start, end: last, value }) => {
    const continues = type === 'Line' && end !== -1 && text.slice(end, start).trim() === '';
    end = type === 'Line' ? last : -1;
    const said = value.replace(/^[\s*]+/, '');
    if (continues || !opening.test(said)) return [];
    return [`${path}:${text.slice(0, start).split('\n').length}: ${said.slice(0, 80)}`];
  });
}
