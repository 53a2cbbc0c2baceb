import { setImmediate } from 'node:timers/promises';

import { memoryFiles, type Files } from '@shallot/core/files';
import { messageOf } from '@shallot/core/plugin';
import { describe, expect, it } from 'vitest';

import { testTools } from '../test/tools.ts';
import { linePattern } from './line-pattern.ts';
import { pathFits } from './path-fits.ts';

/** Files that count what is asked of them. */
function counting(inner: Files) {
  const counts = { list: 0, stat: 0, read: 0 };
  const files: Files = {
    ...inner,
    list: (path, options) => ((counts.list += 1), inner.list(path, options)),
    stat: (path, options) => ((counts.stat += 1), inner.stat(path, options)),
    read: (path, options) => ((counts.read += 1), inner.read(path, options)),
  };
  return { files, counts };
}

async function tree(count: number): Promise<Files> {
  const files = memoryFiles();
  for (let index = 0; index < count; index += 1) {
    await files.write(`/d${index % 100}/f${index}.txt`, `line of ${index}\nanother\n`);
  }
  return files;
}

/** Counts the turns of the event loop while work is done. */
async function turnsOf(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  const done = new AbortController();
  const working = work().finally(() => done.abort());
  while (!done.signal.aborted) {
    await setImmediate();
    turns += 1;
  }
  await working;
  return turns;
}

describe('many files', () => {
  it('cost glob and grep what there are of them, and no tick of the event loop holds more than some', async () => {
    const costs: (typeof small.counts)[] = [];
    const turns: number[] = [];
    const small = counting(await tree(1000));
    for (const { files, counts } of [small, counting(await tree(10_000))]) {
      await using tools = await testTools({ ignore: ['one/', 'two/'] }, files);
      turns.push(await turnsOf(() => tools.grep({ pattern: 'nothing like it' })));
      turns.push(await turnsOf(() => tools.glob({ pattern: '**/nothing*' })));
      costs.push({ ...counts });
    }
    expect(costs).toEqual([
      { list: 202, stat: 1000, read: 1000 },
      { list: 202, stat: 10_000, read: 10_000 },
    ]);
    const [grepFew = 0, globFew = 0, grepMany = 0, globMany = 0] = turns;
    // Ten times the files take about ten times the turns: the work of one turn does not grow.
    expect(grepMany).toBeGreaterThan(grepFew * 5);
    expect(grepMany).toBeGreaterThan(150);
    expect(globMany).toBeGreaterThan(globFew * 3);
    expect(globMany).toBeGreaterThan(15);
  });

  it('are left alone when the run is aborted', async () => {
    const { files, counts } = counting(await tree(10_000));
    await using tools = await testTools({}, files);
    const run = tools.grep({ pattern: 'nothing like it' });
    const outcome = run.then(
      () => 'done',
      (error: unknown) => messageOf(error),
    );
    while (counts.read < 100) await setImmediate();
    await tools.agent.close();
    expect(await outcome).toContain('aborted');
    const then = counts.read;
    for (let turn = 0; turn < 20; turn += 1) await setImmediate();
    expect(counts.read).toBe(then);
  });
});

describe('a pattern', () => {
  it.each([
    String.raw`(a+)+x?y$`,
    String.raw`([ab]{1,5}){5}[xy]`,
    String.raw`[ab]*a[ab]{60}[xy]`,
    String.raw`(.*a){40}[xy]`,
    'a'.repeat(900),
  ])('may take so many steps on one line, whatever it is: %.25s', (pattern) => {
    const compiled = linePattern(pattern, /[([]/.test(pattern), false);
    expect(compiled.maxBytes * compiled.cost).toBeLessThan(2_000_000);
    expect(compiled.isIn(Buffer.from('ab'.repeat(5000)).subarray(0, Math.min(compiled.maxBytes, 9999)))).toBe(
      false,
    );
  });

  it('of a path is compared in one pass', () => {
    const name = 'a'.repeat(255);
    for (const pattern of [
      `${'*a'.repeat(100)}*b`,
      `${'**/'.repeat(80)}x`,
      `${'+(a|aa)'.repeat(30)}b`,
      `{${'a,'.repeat(150)}b}`,
    ]) {
      const fits = pathFits(pattern, '/');
      expect([pattern, fits(Array.from({ length: 15 }, () => name).join('/'))]).toEqual([pattern, false]);
    }
  });

  it('of an ignore file that would take long is not used', async () => {
    const files = memoryFiles();
    await files.write('/.gitignore', `${'*a'.repeat(30)}*b\n*.log\n`);
    await files.write(`/${'a'.repeat(255)}`, 'x');
    await files.write('/a.log', 'x');
    await using tools = await testTools({}, files);
    expect((await tools.glob({ pattern: '*' })).text).toBe(
      `/.gitignore\n/${'a'.repeat(255)}\n[One ignored entry was left out.]`,
    );
  });
});

describe('a large file', () => {
  it('of 5 MB is edited in stages, between which others have their turn', async () => {
    const files = memoryFiles();
    const text = 'some words in a line\n'.repeat(250_000);
    await files.write('/large', `${text}the end\n${text.slice(0, 1000)}`);
    await using tools = await testTools({}, files);
    const turns = await turnsOf(async () => {
      const edited = await tools.edit({ path: '/large', old_string: 'the end\n', new_string: 'THE END\n' });
      expect(edited.text).toBe('Replaced one passage in /large.');
    });
    expect(turns).toBeGreaterThan(3);
    expect((await files.readText('/large')).text).toBe(`${text}THE END\n${text.slice(0, 1000)}`);
  });

  it('is searched in pieces', async () => {
    const files = memoryFiles();
    await files.write('/large', 'some words in a line\n'.repeat(250_000) + 'needle');
    await using tools = await testTools({}, files);
    let text = '';
    const turns = await turnsOf(async () => ({ text } = await tools.grep({ pattern: 'n.edle' })));
    expect(text).toBe('/large\n250001: needle');
    expect(turns).toBeGreaterThan(100);
  });
});
