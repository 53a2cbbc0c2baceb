import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

import { expect, it } from 'vitest';

import { root, workspacePackages } from './workspace.ts';

it('lists the packages that are there in README.md, and no others', () => {
  const text = readFileSync(join(root, 'README.md'), 'utf8');
  const [, section = ''] = /^## Packages\n(.*?)^## /ms.exec(text) ?? [];
  const listed = [...section.matchAll(/^\| \[`([^`]+)`\]\((packages\/[\w-]+)/gm)].map(
    ([, name = '', folder = '']) => `${folder}: ${name}`,
  );
  const published = workspacePackages()
    .filter(({ manifest }) => manifest.private !== true)
    .map(({ folder, manifest }) => `${relative(root, folder)}: ${manifest.name}`);
  expect(listed.toSorted()).toEqual(published.toSorted());
});

it('shows a first plugin of at most eight lines, without a version, a label or a cast', () => {
  const [, section = ''] =
    /^## A plugin\n(.*?)^## /ms.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? [];
  const [, code = ''] = /^```ts\n(.*?)^```/ms.exec(section) ?? [];
  const lines = code.split('\n').filter((line) => line !== '' && !line.startsWith('//'));
  expect(lines.length).toBeLessThanOrEqual(8);
  expect(code).toContain('definePlugin({');
  expect(code).not.toMatch(/\b(?:version|api|setup|tap|as)\b/);
});
