import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { root } from './workspace.ts';

const folder = join(root, 'docs', 'guides');

function nextOf(guide: string): string | undefined {
  const last = readFileSync(join(folder, guide), 'utf8').trimEnd().split('\n').at(-1) ?? '';
  return /Next: \[[^\]]+\]\(([^)]+)\)$/.exec(last)?.[1];
}

it('the guides lead from the first to the last, one after the other', () => {
  const guides = readdirSync(folder).filter((name) => name.endsWith('.md'));
  const read: string[] = [];
  for (let guide = nextOf('first-agent.md'); guide?.includes('/') === false; guide = nextOf(guide)) {
    expect(read).not.toContain(guide);
    read.push(guide);
  }
  expect(read.toSorted()).toEqual(guides.filter((name) => name !== 'first-agent.md').toSorted());
});

it('the README lists the guides in that order', () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const listed = [...readme.matchAll(/\]\(docs\/guides\/([\w-]+\.md)\)/g)].map(([, name]) => name ?? '');
  const inOrder = listed.slice(listed.lastIndexOf('first-agent.md'));
  expect(inOrder.slice(0, -1).map((guide) => nextOf(guide))).toEqual(inOrder.slice(1));
  expect(inOrder.length).toBeGreaterThan(20);
});
