import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { diskFiles } from '@shallot/core/files';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';

import { bench, caches, counting, skillFile } from '../../test/bench.ts';

const folder = join(caches, ...(process.platform === 'darwin' ? [] : ['shallot', 'skills']));

beforeEach(() => rmSync(dirname(folder), { recursive: true, force: true }));

/** A directory with so many skills. */
function skillsOnDisk(count: number): { readonly root: string; readonly add: (name: string) => void } {
  const root = mkdtempSync(join(tmpdir(), 'shallot-skills-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const add = (name: string): void => {
    const path = join(root, 'skills', name, 'SKILL.md');
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, skillFile(name, { description: `Handles ${name}.` }));
  };
  for (let index = 0; index < count; index += 1) add(`skill-${index}`);
  return { root, add };
}

/** Returns a process's file operations before its first model call, and what it then tells the model. */
async function firstRun(root: string, reload: 'changed' | 'once' = 'changed') {
  const { files, counts } = counting(diskFiles(root));
  const { agent, model } = await bench(files, [], { options: { reload, maxListChars: 100_000 } });
  let before = -1;
  const { generate } = model;
  Object.assign(model, {
    generate: (...args: Parameters<typeof generate>) => {
      if (before === -1) before = counts.calls;
      return generate.apply(model, args);
    },
  });
  await agent.run('Hi');
  const again = async (): Promise<string> => {
    await agent.run('Hi');
    return model.requests.at(-1)?.instructions ?? '';
  };
  return { before, told: model.requests[0]?.instructions ?? '', again, close: () => agent.close() };
}

const only = (): string => join(folder, readdirSync(folder)[0] ?? 'none');

describe.skipIf(process.platform === 'darwin')('An index of skills', () => {
  it('lets the first run of the next process begin without reading them', async () => {
    const { root } = skillsOnDisk(150);
    const first = await firstRun(root);
    await first.close();
    expect(first.before).toBeGreaterThan(300);
    expect(readdirSync(folder)).toHaveLength(1);
    const second = await firstRun(root);
    expect(second.before).toBeLessThanOrEqual(20);
    expect(second.told).toBe(first.told);
  });

  it.each(['changed', 'once'] as const)(
    'shows what changed since one run later, with reload: %s',
    async (reload) => {
      const { root, add } = skillsOnDisk(150);
      await (await firstRun(root)).close();
      add('brand-new');
      const second = await firstRun(root, reload);
      expect(second.before).toBeLessThanOrEqual(20);
      expect(second.told).not.toContain('brand-new');
      // It looks while the model answers.
      await vi.waitFor(() => expect(readFileSync(only(), 'utf8')).toContain('brand-new'), {
        timeout: 15_000,
      });
      expect(await second.again()).toContain('brand-new');
      await second.close();
      expect((await firstRun(root)).told).toContain('brand-new');
    },
  );

  it('is made of many skills only', async () => {
    const { root } = skillsOnDisk(50);
    await (await firstRun(root)).close();
    expect(() => readdirSync(folder)).toThrow('ENOENT');
  });

  it('of other files is not believed', async () => {
    const { root } = skillsOnDisk(150);
    await (await firstRun(root)).close();
    const other = skillsOnDisk(150);
    other.add('other');
    const { before, told } = await firstRun(other.root);
    expect(before).toBeGreaterThan(300);
    expect(told).toContain('other');
  });

  it.each([
    ['cut', (text: string) => text.slice(0, text.length / 2)],
    ['of another version', (text: string) => text.replace(/"version":"[^"]*"/, '"version":"0.0.0"')],
    ['no index', () => '{}'],
    ['of skills without names', (text: string) => text.replaceAll('"name":"skill', '"nome":"skill')],
    ['of files that it has not', (text: string) => text.replace('"read":[[', '"read":[],"old":[[')],
  ])('that is %s is made anew', async (_, damage) => {
    const { root } = skillsOnDisk(150);
    const first = await firstRun(root);
    await first.close();
    const whole = readFileSync(only(), 'utf8');
    writeFileSync(only(), damage(whole));
    const second = await firstRun(root);
    await second.close();
    expect(second.before).toBeGreaterThan(300);
    expect(second.told).toBe(first.told);
    expect(readFileSync(only(), 'utf8')).toBe(whole);
  });

  it.skipIf(process.platform === 'win32')('is not read from a folder that others can write to', async () => {
    const { root } = skillsOnDisk(150);
    await (await firstRun(root)).close();
    chmodSync(folder, 0o777);
    expect((await firstRun(root)).before).toBeGreaterThan(300);
  });

  it('that cannot be kept costs nothing but time', async () => {
    mkdirSync(dirname(folder), { recursive: true });
    writeFileSync(folder, 'a file where the folder should be');
    const { root } = skillsOnDisk(150);
    const { told, close } = await firstRun(root);
    await close();
    expect(told).toContain('skill-149');
    expect(readFileSync(folder, 'utf8')).toBe('a file where the folder should be');
  });
});
