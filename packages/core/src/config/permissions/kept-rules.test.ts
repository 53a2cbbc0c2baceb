import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it, onTestFinished } from 'vitest';

import { openKeptRules } from './kept-rules.ts';

it('rules that several writers add at once are all kept', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'shallot-kept-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, '.shallot', 'permissions.yaml');
  const writers = await Promise.all(Array.from({ length: 2 }, () => openKeptRules(file, 10_000)));
  const rules = Array.from({ length: 8 }, (_, index) => `tool_${index}(path="a: #${index}")`);
  await Promise.all(rules.map(async (rule, index) => writers[index % writers.length]?.add(rule)));
  const last = await openKeptRules(file, 10_000);
  expect(last.list().toSorted()).toEqual(rules.toSorted());
  expect(await last.remove(rules[0] ?? '')).toBe(true);
  expect(await last.remove('look')).toBe(false);
  expect(readFileSync(file, 'utf8')).not.toContain('tool_0(');
});
