import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { diskFiles, memoryFiles, mountFiles, type Files } from '@shallot/core/files';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { testTools } from '../test/tools.ts';

let place: string;
let root: string;

beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'shallot-files-'));
  root = join(place, 'root');
  mkdirSync(root);
  writeFileSync(join(place, 'outside.txt'), 'outside');
});

afterEach(() => {
  // Whatever a test did, nothing was written beside the root.
  assert.deepEqual(readdirSync(place).toSorted(), ['outside.txt', 'root']);
  assert.equal(readFileSync(join(place, 'outside.txt'), 'utf8'), 'outside');
  rmSync(place, { recursive: true, force: true });
});

describe('the tools on a disk', () => {
  it('read, write, edit, search and delete', async () => {
    await using tools = await testTools({}, diskFiles(root));
    await tools.write({ path: '/src/a.ts', content: 'one\ntwo\n' });
    await tools.edit({ path: '/src/a.ts', old_string: 'two', new_string: 'TWO' });
    expect(readFileSync(join(root, 'src', 'a.ts'), 'utf8')).toBe('one\nTWO\n');
    expect((await tools.grep({ pattern: 'two', ignore_case: true })).text).toBe('/src/a.ts\n2: TWO');
    writeFileSync(join(root, 'src', 'a.ts'), 'theirs');
    expect(
      (await tools.edit({ path: '/src/a.ts', old_string: 'theirs', new_string: 'mine' })).text,
    ).toContain('was changed by somebody since');
    await tools.read({ path: '/src/a.ts' });
    await tools.remove({ path: '/src/a.ts' });
    expect(readdirSync(join(root, 'src'))).toEqual([]);
  });

  it('take paths of the machine below the root, and .. that stays inside', async () => {
    await using tools = await testTools({}, diskFiles(root));
    const path = join(root, 'src', 'a.ts');
    expect((await tools.write({ path, content: 'one\n' })).text).toContain('/src/a.ts');
    expect(readFileSync(path, 'utf8')).toBe('one\n');
    expect((await tools.read({ path: '/src/../src/./a.ts' })).text).toContain('one');
    expect((await tools.ls({ path: root })).text).toBe((await tools.ls({ path: '/' })).text);
    expect((await tools.grep({ pattern: 'one', path: join(root, 'src') })).text).toBe('/src/a.ts\n1: one');
    for (const outside of ['../outside.txt', '/src/../../outside.txt']) {
      expect(await tools.read({ path: outside })).toMatchObject({
        isError: true,
        text: expect.stringContaining('leads out of the root. Paths begin there') as unknown,
      });
    }
    expect((await tools.read({ path: join(place, 'outside.txt') })).isError).toBe(true);
    // A directory of the root that is called as the root's own path begins.
    const [, first = ''] = root.split('/');
    mkdirSync(join(root, first));
    expect((await tools.read({ path })).text).toContain('one');
    // The spelling that exists comes first.
    mkdirSync(join(root, root, 'src'), { recursive: true });
    writeFileSync(join(root, path), 'a copy\n');
    expect((await tools.read({ path })).text).toContain('a copy');
  });

  it('refuse links that lead outside, pipes and devices, and wait for none of them', async () => {
    symlinkSync('../outside.txt', join(root, 'out'));
    symlinkSync('..', join(root, 'up'));
    symlinkSync('/dev/zero', join(root, 'zero'));
    symlinkSync('nowhere', join(root, 'dangling'));
    execFileSync('mkfifo', [join(root, 'pipe')]);
    writeFileSync(join(root, 'plain'), 'text\n');
    await using tools = await testTools({}, diskFiles(root));
    for (const path of ['/out', '/up/outside.txt', '/zero', '/pipe']) {
      expect((await tools.read({ path })).isError).toBe(true);
      expect((await tools.write({ path, content: 'x' })).isError).toBe(true);
      expect((await tools.edit({ path, old_string: 'outside', new_string: 'x' })).isError).toBe(true);
    }
    expect((await tools.ls({})).text).toMatch(
      /^\/dangling \(cannot be opened.*\n\/out \(cannot.*\n\/pipe \(cannot.*\n\/plain \(5 bytes\)\n\/up \(cannot.*\n\/zero \(cannot/,
    );
    expect((await tools.glob({ pattern: '**' })).text).toBe('/plain');
    expect((await tools.grep({ pattern: 'e' })).text).toBe('/plain\n1: text');
  });

  it('do not reach what is protected or ignored through a link', async () => {
    mkdirSync(join(root, '.git'));
    writeFileSync(join(root, '.git', 'config'), 'secret\n');
    writeFileSync(join(root, 'plain'), 'no secret\n');
    symlinkSync('.git', join(root, 'dir'));
    symlinkSync('dir', join(root, 'again'));
    symlinkSync(join(root, '.git', 'config'), join(root, 'file'));
    symlinkSync('plain', join(root, 'fine'));
    for (const files of [diskFiles(root), mountFiles({ '/': diskFiles(root), '/m/': memoryFiles() })]) {
      for (const [ignore, refused] of [
        [[], /is protected/],
        [['.git'], /is out of reach/],
      ] as const) {
        await using tools = await testTools({ ignore }, files);
        for (const path of ['/dir/config', '/again/config', '/file', '/dir/new', '/again/new/deep']) {
          expect((await tools.read({ path })).text).toMatch(refused);
          expect((await tools.write({ path, content: 'x' })).text).toMatch(refused);
          expect((await tools.edit({ path, old_string: 'secret', new_string: 'x' })).text).toMatch(refused);
          expect((await tools.remove({ path })).text).toMatch(refused);
        }
        expect((await tools.ls({ path: '/again' })).text).toMatch(refused);
        expect((await tools.glob({ pattern: '**', path: '/dir' })).text).toMatch(refused);
        expect((await tools.grep({ pattern: 'secret', path: '/dir' })).text).toMatch(refused);
        expect((await tools.grep({ pattern: 'secret' })).text).toMatch(
          /^\/fine\n1: no secret\n\/plain\n1: no secret\b/,
        );
        expect((await tools.ls({})).text).not.toMatch(/again|dir|file/);
        expect((await tools.read({ path: '/fine' })).text).toContain('no secret');
      }
    }
    expect(readFileSync(join(root, '.git', 'config'), 'utf8')).toBe('secret\n');
  });

  it('end in a tree whose links go in circles', async () => {
    mkdirSync(join(root, 'a'));
    writeFileSync(join(root, 'a', 'f'), 'x\n');
    symlinkSync('..', join(root, 'a', 'again'));
    await using tools = await testTools({}, diskFiles(root));
    expect((await tools.glob({ pattern: '**' })).text).toBe('/a/f');
    expect((await tools.grep({ pattern: 'x' })).text).toBe('/a/f\n1: x');
  });

  it('do not follow a directory that becomes a link to the outside while they walk', async () => {
    for (const name of ['a', 'b']) {
      mkdirSync(join(root, name));
      writeFileSync(join(root, name, 'f.txt'), 'inside\n');
    }
    const disk = diskFiles(root);
    const files: Files = {
      ...disk,
      async list(path, options) {
        const listed = await disk.list(path, options);
        if (path === '/a') {
          renameSync(join(root, 'b'), join(root, 'gone'));
          symlinkSync('../..', join(root, 'b'));
        }
        return listed;
      },
    };
    await using tools = await testTools({}, files);
    const { text } = await tools.grep({ pattern: 'side' });
    expect(text).toBe('/a/f.txt\n1: inside\n[One directory could not be read.]');
  });

  it.runIf(process.platform === 'linux')(
    'name files whose names are not UTF-8, and touch none of them',
    async () => {
      const odd = Buffer.concat([Buffer.from(`${root}/`), Buffer.of(0x67, 0xfc, 0x6e)]);
      writeFileSync(odd, 'x\n');
      await using tools = await testTools({}, diskFiles(root));
      expect((await tools.ls({})).text).toBe('/g\ufffdn (cannot be opened: its name is not UTF-8)');
      expect((await tools.grep({ pattern: 'x' })).text).toContain('One file could not be read.');
      expect((await tools.write({ path: '/g\ufffdn', content: 'y' })).isError).toBe(false);
      expect(readFileSync(odd, 'utf8')).toBe('x\n');
    },
  );
});
