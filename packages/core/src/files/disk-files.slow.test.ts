import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, describe, expect, test } from 'vitest';

import { testFiles } from '../../../testing/src/files/test-files.ts';
import { newClaim } from '../base/claim.ts';
import { diskFiles } from './disk-files.ts';
import { mountFiles } from './mount-files.ts';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'shallot-files-')));
afterAll(() => rmSync(base, { recursive: true, force: true }));

let count = 0;

/** A root with something secret beside it. */
function newRoot(): { readonly root: string; readonly outside: string } {
  count += 1;
  const root = join(base, String(count), 'root');
  const outside = join(base, String(count), 'outside');
  mkdirSync(root, { recursive: true });
  mkdirSync(outside);
  writeFileSync(join(outside, 'secret.txt'), 'secret');
  return { root, outside };
}

await testFiles(() => mountFiles({ '/': diskFiles(newRoot().root) }));

test.runIf(process.platform === 'linux')(
  'a directory that is swapped for a link again and again never leads out',
  async () => {
    const { root, outside } = newRoot();
    const files = diskFiles(root);
    await files.write('/d/secret.txt', 'inside');
    const swap = `
      const { renameSync, symlinkSync, unlinkSync } = require('node:fs');
      process.chdir(${JSON.stringify(root)});
      process.send('ready');
      const attempt = (work) => { try { work(); } catch {} };
      for (let n = 0; ; n += 1) {
        attempt(() => renameSync('d', 'real' + n));
        attempt(() => symlinkSync(${JSON.stringify(outside)}, 'd'));
        attempt(() => unlinkSync('d'));
        attempt(() => renameSync('real' + n, 'd'));
      }`;
    const swapper = spawn(process.execPath, ['-e', swap], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    await once(swapper, 'message');
    const codes = new Set<unknown>();
    const note = (error: unknown) =>
      codes.add(error instanceof Error && 'code' in error ? error.code : error);
    const until = Date.now() + 2000;
    for (let round = 0; Date.now() < until; round += 1) {
      await files.readText('/d/secret.txt').then(({ text }) => expect(text).toMatch(/^inside/), note);
      await files.write(`/d/new-${round % 3}`, 'x').catch(note);
      await files.append('/d/log', 'x').catch(note);
    }
    swapper.kill('SIGKILL');
    await once(swapper, 'exit');
    expect(readdirSync(outside)).toEqual(['secret.txt']);
    expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe('secret');
    for (const code of codes) expect(code).toMatch(/^FILE_/);
  },
);

describe('writing', () => {
  test('replaces a file at once: who reads sees the old or the new one', async () => {
    const { root } = newRoot();
    const files = diskFiles(root);
    const texts = ['a', 'b'].map((letter) => letter.repeat(300_000));
    await files.write('/f', texts[0] ?? '');
    const writing = (async () => {
      for (let round = 0; round < 20; round += 1) await files.write('/f', texts[round % 2] ?? '');
    })();
    for (let round = 0; round < 20; round += 1) expect(texts).toContain((await files.readText('/f')).text);
    await writing;
  });

  test('appending costs what is added', async () => {
    const { root } = newRoot();
    const files = diskFiles(root, { maxBytes: 1e9 });
    await files.write('/small', '');
    await files.write('/large', '');
    truncateSync(join(root, 'large'), 500_000_000);
    expect(await medianMs(() => files.append('/large', 'x'))).toBeLessThan(
      10 * (await medianMs(() => files.append('/small', 'x'))) + 5,
    );
  });
});

describe('several processes', () => {
  test('that compare and swap lose no change, and appends do not mix', async () => {
    const { root } = newRoot();
    const files = diskFiles(root);
    await files.write('/count', '0');
    const script = `
      const { diskFiles } = await import(${JSON.stringify(join(import.meta.dirname, 'disk-files.ts'))});
      const files = diskFiles(${JSON.stringify(root)});
      for (let done = 0; done < 25;) {
        const { text, revision } = await files.readText('/count');
        try { await files.write('/count', String(Number(text) + 1), { ifRevision: revision }); done += 1; }
        catch (error) { if (error.code !== 'FILE_CONFLICT') throw error; }
        await files.append('/log', process.pid + '\\n');
      }`;
    const children = Array.from({ length: 4 }, () =>
      spawn(process.execPath, ['--input-type=module', '-e', script], {
        stdio: ['ignore', 'ignore', 'inherit'],
      }),
    );
    const exits = await Promise.all(children.map((child) => once(child, 'exit')));
    expect(exits.map(([code]) => code as unknown)).toEqual([0, 0, 0, 0]);
    expect(await files.readText('/count')).toMatchObject({ text: '100' });
    const lines = (await files.readText('/log')).text.trimEnd().split('\n');
    const pids = new Set(children.map(({ pid }) => String(pid)));
    expect(lines.filter((line) => !pids.has(line))).toEqual([]);
    expect(readdirSync(root).toSorted()).toEqual(['count', 'log']);
  }, 60_000);

  test('a lock whose process is gone is taken over, also by many at once', async () => {
    const { root } = newRoot();
    const { pid } = spawnSync(process.execPath, ['--version']);
    const files = diskFiles(root);
    const lock = await nameOfLock(root);
    writeFileSync(join(root, lock), JSON.stringify({ ...newClaim('gone', 60_000), pid }));
    writeFileSync(join(root, `${lock}.steal`), JSON.stringify({ ...newClaim('gone too', 60_000), pid }));
    expect(await files.list('/')).toEqual([]);
    // Each with a queue of its own, as several processes have.
    await Promise.all(Array.from({ length: 8 }, () => diskFiles(root).append('/f', 'x')));
    expect(await files.readText('/f')).toMatchObject({ text: 'xxxxxxxx' });
    expect(readdirSync(root)).toEqual(['f']);
  });

  test.each(['', '{"owner":"a'])(
    'half a lock, %j, is taken over when its maker must have died',
    async (half) => {
      const { root } = newRoot();
      const lock = join(root, await nameOfLock(root));
      writeFileSync(lock, half);
      const aSecondAgo = Date.now() / 1000 - 1;
      utimesSync(lock, aSecondAgo, aSecondAgo);
      await diskFiles(root).write('/f', 'x');
      expect(readdirSync(root)).toEqual(['f']);
    },
  );

  test('what a process that died over a write has left goes with the next write', async () => {
    const { root } = newRoot();
    const script = `
      const fs = await import('node:fs');
      const { syncBuiltinESMExports } = await import('node:module');
      fs.default.renameSync = () => process.kill(process.pid, 'SIGKILL');
      syncBuiltinESMExports();
      const { diskFiles } = await import(${JSON.stringify(join(import.meta.dirname, 'disk-files.ts'))});
      await diskFiles(${JSON.stringify(root)}).write('/f', 'half');`;
    const { signal } = spawnSync(process.execPath, ['--input-type=module', '-e', script]);
    expect(signal).toBe('SIGKILL');
    expect(
      readdirSync(root)
        .map((name) => name.replace(/.*\./, ''))
        .toSorted(),
    ).toEqual(['lock', 'tmp']);
    const files = diskFiles(root);
    expect(await files.list('/', { recursive: true, all: true })).toEqual([]);
    await files.write('/f', 'whole');
    expect(readdirSync(root)).toEqual(['f']);
  });

  test('a lock that a full disk has no room for is not in the way later', async () => {
    const { root } = newRoot();
    const script = `
      const fs = await import('node:fs');
      const { syncBuiltinESMExports } = await import('node:module');
      const { writeFileSync } = fs;
      fs.default.writeFileSync = (path, _, options) => {
        writeFileSync(path, '', options);
        throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
      };
      syncBuiltinESMExports();
      const { diskFiles } = await import(${JSON.stringify(join(import.meta.dirname, 'disk-files.ts'))});
      await diskFiles(${JSON.stringify(root)}).append('/f', 'x').catch(({ code }) => console.log(code));`;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
    });
    expect(stdout).toBe('FILE_FAILED\n');
    expect(readdirSync(root)).toEqual([]);
  });

  test('a lock that is held is waited for', async () => {
    const { root } = newRoot();
    const lock = join(root, await nameOfLock(root));
    writeFileSync(lock, JSON.stringify(newClaim('another', 60_000)));
    let isWritten = false;
    const writing = diskFiles(root)
      .write('/f', 'x')
      .then(() => (isWritten = true));
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(isWritten).toBe(false);
    renameSync(lock, `${root}-lock`);
    await writing;
  });
});

/** The name of the lock of `/f`, seen while it is held. */
async function nameOfLock(root: string): Promise<string> {
  const names = new Set<string>();
  const writing = diskFiles(root).append('/f', 'x'.repeat(1_000_000));
  for (let looks = 0; names.size === 0 && looks < 1000; looks += 1) {
    for (const name of readdirSync(root)) if (name.endsWith('.lock')) names.add(name);
    await new Promise(setImmediate);
  }
  await writing;
  rmSync(join(root, 'f'));
  const [name] = names;
  if (name === undefined) throw new Error('no lock was seen');
  return name;
}

async function medianMs(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 9; round += 1) {
    const started = performance.now();
    await work();
    times.push(performance.now() - started);
  }
  return times.toSorted((a, b) => a - b)[4] ?? 0;
}
