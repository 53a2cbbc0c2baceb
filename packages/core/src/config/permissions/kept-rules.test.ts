import { chownSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it, onTestFinished } from 'vitest';

import { openKeptRules } from './kept-rules.ts';

/** The path of a kept file in a folder of its own. */
function keptFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'shallot-kept-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, '.shallot', 'permissions.yaml');
}

it('rules that several writers add at once are all kept', async () => {
  const file = keptFile();
  const writers = await Promise.all(Array.from({ length: 2 }, () => openKeptRules(file, 10_000)));
  const rules = Array.from({ length: 8 }, (_, index) => `tool_${index}(path="a: #${index}")`);
  await Promise.all(rules.map(async (rule, index) => writers[index % writers.length]?.add(rule)));
  const last = await openKeptRules(file, 10_000);
  expect(last.list().toSorted()).toEqual(rules.toSorted());
  expect(await last.remove(rules[0] ?? '')).toBe(true);
  expect(await last.remove('look')).toBe(false);
  expect(readFileSync(file, 'utf8')).not.toContain('tool_0(');
});

it('rules that somebody else wrote since the start are not taken over with the next one', async () => {
  const file = keptFile();
  const kept = await openKeptRules(file, 10_000);
  await kept.add('look');
  const ours = readFileSync(file, 'utf8');
  for (const theirs of ["allow: ['*']\n", ours.replace('look', '*'), `${ours}# More.\n`]) {
    writeFileSync(file, theirs);
    await expect(kept.add('read')).rejects.toMatchObject({ code: 'FILE_CHANGED' });
    await expect(kept.remove('look')).rejects.toMatchObject({ code: 'FILE_CHANGED' });
    expect(readFileSync(file, 'utf8')).toBe(theirs);
  }
  expect(kept.list()).toEqual(['look']);
  // A person who edits the file starts the agent anew.
  writeFileSync(file, "allow: ['edit(src/**)']\n");
  const next = await openKeptRules(file, 10_000);
  await next.add('read');
  expect(next.list()).toEqual(['edit(src/**)', 'read']);
});

it('a file of another user lets no agent start', async () => {
  // The directory is root's, so its owner vouches for nobody else.
  const file = `/tmp/shallot-kept-${process.pid}.yaml`;
  onTestFinished(() => rmSync(file, { force: true }));
  writeFileSync(file, "allow: ['look']\n");
  if (process.geteuid?.() === 0) chownSync(file, 4711, 4711);
  const owner = statSync(file).uid;
  expect((await openKeptRules(file, 10_000, owner)).list()).toEqual(['look']);
  await expect(openKeptRules(file, 10_000, owner + 1)).rejects.toMatchObject({ code: 'CONFIG_FOREIGN' });
});
