import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
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

const maxBytes = 2_000_000;

await testFiles(() => diskFiles(join(newRoot().root, 'made', 'when', 'needed'), { maxBytes }), { maxBytes });

await testFiles(() => mountFiles({ '/': diskFiles(newRoot().root) }));

describe('links', () => {
  test('that lead out of the root are refused by everything, and not listed', async () => {
    const { root, outside } = newRoot();
    symlinkSync(join(outside, 'secret.txt'), join(root, 'absolute'));
    symlinkSync('../outside/secret.txt', join(root, 'relative'));
    symlinkSync('relative', join(root, 'chain'));
    symlinkSync(outside, join(root, 'directory'));
    symlinkSync('../outside/new.txt', join(root, 'dangling'));
    symlinkSync('directory/../../outside/secret.txt', join(root, 'winding'));
    const files = diskFiles(root);
    const refused = { code: 'FILE_PATH' };
    for (const path of [
      '/absolute',
      '/relative',
      '/chain',
      '/directory/secret.txt',
      '/dangling',
      '/winding',
    ]) {
      await expect(files.stat(path)).rejects.toMatchObject(refused);
      await expect(files.read(path)).rejects.toMatchObject(refused);
      await expect(files.write(path, 'x')).rejects.toMatchObject(refused);
      await expect(files.append(path, 'x')).rejects.toMatchObject(refused);
    }
    await expect(files.remove('/directory/secret.txt')).rejects.toMatchObject(refused);
    await expect(files.list('/directory')).rejects.toMatchObject(refused);
    await expect(files.write('/directory/deep/new.txt', 'x')).rejects.toMatchObject(refused);
    expect(await files.list('/', { recursive: true })).toEqual([]);
    expect(readdirSync(outside)).toEqual(['secret.txt']);
    expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe('secret');
  });

  test('that stay inside are followed, and stay links when their file is written', async () => {
    const { root } = newRoot();
    const files = diskFiles(root);
    await files.write('/docs/CLAUDE.md', 'one');
    symlinkSync('docs/CLAUDE.md', join(root, 'AGENTS.md'));
    symlinkSync(join(root, 'docs'), join(root, 'absolute'));
    symlinkSync('../AGENTS.md', join(root, 'docs', 'up'));
    await files.write('/AGENTS.md', 'two');
    await files.append('/absolute/up', '!');
    expect(await files.readText('/docs/CLAUDE.md')).toMatchObject({ text: 'two!' });
    expect(await files.stat('/absolute/CLAUDE.md')).toEqual(await files.stat('/AGENTS.md'));
    expect(await files.list('/', { recursive: true })).toEqual([
      { path: '/AGENTS.md', kind: 'file', link: true },
      { path: '/absolute', kind: 'directory', link: true },
      { path: '/docs', kind: 'directory' },
      { path: '/docs/CLAUDE.md', kind: 'file' },
      { path: '/docs/up', kind: 'file', link: true },
    ]);
    expect(await files.list('/absolute')).toEqual([
      { path: '/absolute/CLAUDE.md', kind: 'file' },
      { path: '/absolute/up', kind: 'file', link: true },
    ]);
  });

  test('and whatever else cannot be opened are listed when all is asked for', async () => {
    const { root, outside } = newRoot();
    const files = diskFiles(root);
    await files.write('/a/b.md', 'x');
    symlinkSync(outside, join(root, 'a', 'out'));
    symlinkSync('nowhere', join(root, 'dangling'));
    symlinkSync('dangling', join(root, 'a', 'b.link'));
    execFileSync('mkfifo', [join(root, 'pipe')]);
    const other = (path: string) => ({ path, kind: 'other', link: true });
    expect(await files.list('/', { all: true })).toEqual([
      { path: '/a', kind: 'directory' },
      other('/dangling'),
      { path: '/pipe', kind: 'other' },
    ]);
    const mounted = mountFiles({ '/m/': files });
    expect(await mounted.list('/m/a', { all: true, recursive: true })).toEqual([
      other('/m/a/b.link'),
      { path: '/m/a/b.md', kind: 'file' },
      other('/m/a/out'),
    ]);
    expect(await files.list('/', { recursive: true })).toEqual([
      { path: '/a', kind: 'directory' },
      { path: '/a/b.md', kind: 'file' },
    ]);
  });

  test('are followed within a directory only as far as they stay in it', async () => {
    const { root, outside } = newRoot();
    const files = diskFiles(root);
    await files.write('/.env', 'KEY=1', { own: true });
    await files.write('/pack/docs/a.md', 'a');
    await files.write('/pack/b.md', 'b');
    symlinkSync('pack', join(root, 'link'));
    symlinkSync('../b.md', join(root, 'pack', 'docs', 'up'));
    symlinkSync(join(root, 'pack', 'b.md'), join(root, 'pack', 'docs', 'absolute'));
    symlinkSync('../.env', join(root, 'pack', 'env'));
    symlinkSync(join(root, '.env'), join(root, 'pack', 'absolute-env'));
    symlinkSync('..', join(root, 'pack', 'parent'));
    symlinkSync(join(outside, 'secret.txt'), join(root, 'pack', 'secret'));
    for (const within of ['/pack', '/link']) {
      for (const path of ['docs/up', 'docs/absolute']) {
        expect(await files.readText(`${within}/${path}`, { within })).toMatchObject({ text: 'b' });
      }
      for (const path of ['env', 'absolute-env', 'parent/.env', 'secret']) {
        const refused = {
          code: 'FILE_PATH',
          message: expect.stringContaining(`out of "${within}"`) as string,
        };
        await expect(files.read(`${within}/${path}`, { within })).rejects.toMatchObject(refused);
        await expect(files.stat(`${within}/${path}`, { within })).rejects.toMatchObject(refused);
      }
    }
    expect(await files.readText('/pack/env', { own: true })).toMatchObject({ text: 'KEY=1' });
    const mounted = mountFiles({ '/m/': files });
    await expect(mounted.read('/m/pack/env', { within: '/m/pack' })).rejects.toMatchObject({
      code: 'FILE_PATH',
    });
    expect(await mounted.readText('/m/pack/env', { within: '/m', own: true })).toMatchObject({
      text: 'KEY=1',
    });
  });

  test('that dangle inside are made good by a write, and are nothing before', async () => {
    const { root } = newRoot();
    symlinkSync('new/place.txt', join(root, 'link'));
    const files = diskFiles(root);
    expect(await files.stat('/link')).toBeUndefined();
    expect(await files.list('/')).toEqual([]);
    await files.write('/link', 'x');
    expect(readFileSync(join(root, 'new', 'place.txt'), 'utf8')).toBe('x');
  });

  test('that go in circles are refused, and end a listing', async () => {
    const { root } = newRoot();
    symlinkSync('b', join(root, 'a'));
    symlinkSync('a', join(root, 'b'));
    symlinkSync('.', join(root, 'self'));
    const files = diskFiles(root);
    await expect(files.read('/a')).rejects.toMatchObject({ code: 'FILE_PATH' });
    await expect(files.read('/a/x')).rejects.toMatchObject({ code: 'FILE_PATH' });
    expect(await files.list('/', { recursive: true })).toEqual([
      { path: '/self', kind: 'directory', link: true },
    ]);
  });

  test('are removed themselves, never what they lead to', async () => {
    const { root, outside } = newRoot();
    symlinkSync(join(outside, 'secret.txt'), join(root, 'link'));
    expect(await diskFiles(root).remove('/link')).toBe(true);
    expect(readdirSync(root)).toEqual([]);
    expect(existsSync(join(outside, 'secret.txt'))).toBe(true);
  });

  test('to directories are no files', async () => {
    const { root } = newRoot();
    mkdirSync(join(root, 'd'));
    symlinkSync('d', join(root, 'link'));
    symlinkSync('..', join(root, 'd', 'up'));
    const files = diskFiles(root);
    for (const path of ['/link', '/d/up']) {
      await expect(files.read(path)).rejects.toMatchObject({ code: 'FILE_KIND' });
      await expect(files.write(path, 'x')).rejects.toMatchObject({ code: 'FILE_KIND' });
    }
  });

  test('may be the way to the root', async () => {
    const { root } = newRoot();
    symlinkSync(root, `${root}-link`);
    const files = diskFiles(`${root}-link`);
    await files.write('/a', 'x');
    expect(readFileSync(join(root, 'a'), 'utf8')).toBe('x');
  });
});

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

describe.skipIf(process.platform === 'win32')('what is no regular file', () => {
  test('is refused at once, without waiting for another end', async () => {
    const { root } = newRoot();
    execFileSync('mkfifo', [join(root, 'pipe')]);
    symlinkSync('pipe', join(root, 'link'));
    const files = diskFiles(root);
    for (const path of ['/pipe', '/link']) {
      await expect(files.stat(path)).rejects.toMatchObject({ code: 'FILE_KIND' });
      await expect(files.read(path)).rejects.toMatchObject({ code: 'FILE_KIND' });
      await expect(files.write(path, 'x')).rejects.toMatchObject({ code: 'FILE_KIND' });
      await expect(files.append(path, 'x')).rejects.toMatchObject({ code: 'FILE_KIND' });
    }
    await expect(files.remove('/pipe')).rejects.toMatchObject({ code: 'FILE_KIND' });
    expect(await files.list('/')).toEqual([]);
    expect(readdirSync(root).toSorted()).toEqual(['link', 'pipe']);
  });

  test('is refused when it is a device', async () => {
    const files = diskFiles('/dev');
    await expect(files.read('/zero')).rejects.toMatchObject({ code: 'FILE_KIND' });
    await expect(files.append('/null', 'x')).rejects.toMatchObject({ code: 'FILE_KIND' });
    await expect(files.write('/null', 'x')).rejects.toMatchObject({ code: 'FILE_KIND' });
  });
});

describe('writing', () => {
  test('leaves nothing else behind, and keeps the mode of the file', async () => {
    const { root } = newRoot();
    const files = diskFiles(root);
    await files.write('/run.sh', '#!/bin/sh\n');
    chmodSync(join(root, 'run.sh'), 0o750);
    await files.write('/run.sh', '#!/bin/sh\necho\n');
    await expect(files.write('/run.sh', 'x', { ifRevision: 'other' })).rejects.toThrow('not other');
    await files.append('/run.sh', 'exit\n');
    expect(statSync(join(root, 'run.sh')).mode & 0o777).toBe(0o750);
    expect(readdirSync(root)).toEqual(['run.sh']);
  });

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

  test('a change by another program gives another revision', async () => {
    const { root } = newRoot();
    const files = diskFiles(root);
    const revision = await files.write('/f', 'mine');
    writeFileSync(join(root, 'f'), 'else');
    utimesSync(join(root, 'f'), 1, 1);
    expect(await files.stat('/f')).not.toMatchObject({ revision });
    await expect(files.write('/f', 'x', { ifRevision: revision })).rejects.toMatchObject({
      code: 'FILE_CONFLICT',
    });
    expect(readFileSync(join(root, 'f'), 'utf8')).toBe('else');
  });

  test('breaks a hard link, so that what is outside stays as it is', async () => {
    const { root, outside } = newRoot();
    linkSync(join(outside, 'secret.txt'), join(root, 'hard'));
    await diskFiles(root).write('/hard', 'x');
    expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe('x');
  });

  test('a file that is over the limit is not read', async () => {
    const { root } = newRoot();
    writeFileSync(join(root, 'f'), 'x'.repeat(11));
    await expect(diskFiles(root, { maxBytes: 10 }).read('/f')).rejects.toMatchObject({
      code: 'FILE_TOO_LARGE',
    });
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

  test('says what the system says, and for which path', async () => {
    const { root } = newRoot();
    writeFileSync(join(root, 'file'), '');
    const files = diskFiles(join(root, 'file'));
    await expect(files.read('/a.md')).rejects.toMatchObject({ code: 'FILE_FAILED' });
    await expect(files.read('/a.md')).rejects.toThrow('Could not read "/a.md": ENOTDIR');
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
