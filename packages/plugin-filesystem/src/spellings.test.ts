import { createAgent } from '@shallot/core';
import { memoryFiles, type Files } from '@shallot/core/files';
import { scriptedModel } from '@shallot/testing';
import { describe, expect, it } from 'vitest';

import { testTools } from '../test/tools.ts';
import { filesystem } from './index.ts';

/** Files that are in a directory of this machine, as far as paths go. */
async function filesAt(root: string, paths: readonly string[]): Promise<Files> {
  const files = memoryFiles();
  for (const path of paths) await files.write(path, 'tea\n');
  return { ...files, root };
}

const root = '/home/me/app';
const paths = ['/src/a.ts', '/src/deep/b.ts', '/README.md'];

describe('a pattern', () => {
  it.each<readonly [string, { readonly pattern: string; readonly path?: string }, string]>([
    ['of the machine', { pattern: `${root}/src/*.ts` }, '/src/a.ts'],
    ['of the machine, over directories', { pattern: `${root}/**/*.ts` }, '/src/a.ts\n/src/deep/b.ts'],
    ['of the machine, in a directory', { pattern: `${root}/src/deep/*.ts`, path: 'src' }, '/src/deep/b.ts'],
    ['from the root on, in a directory', { pattern: '/src/*.ts', path: '/src' }, '/src/a.ts'],
    ['from the directory on', { pattern: 'deep/*.ts', path: `${root}/src` }, '/src/deep/b.ts'],
  ])('%s finds the same files by glob and grep', async (_, { pattern, ...where }, expected) => {
    await using tools = await testTools({}, await filesAt(root, paths));
    expect((await tools.glob({ pattern, ...where })).text).toBe(expected);
    expect((await tools.grep({ pattern: 'tea', glob: pattern, output: 'files', ...where })).text).toBe(
      expected,
    );
  });
});

describe('a path where nothing is', () => {
  it.each<readonly [string, string]>([
    ['/home/else/src/a.ts', '/src/a.ts'],
    ['/home/else/work/src/deep/b.ts', '/src/deep/b.ts'],
    ['/workspace/README.md', '/README.md'],
    ['/src/A.ts', '/src/a.ts'],
    ['readme.md', '/README.md'],
    ['/src/deep/bb.ts', '/src/deep/b.ts'],
  ])('%s is answered with %s', async (path, near) => {
    await using tools = await testTools({}, await filesAt(root, paths));
    for (const [name, args] of [
      ['read_file', {}],
      ['edit_file', { old_string: 'tea', new_string: 'x' }],
    ] as const)
      expect(await tools.call(name, { path, ...args })).toMatchObject({
        isError: true,
        text: `There is no file ${path.startsWith('/') ? path : `/${path}`}. Did you mean ${near}?`,
      });
    expect((await tools.remove({ path })).text).toContain(`Did you mean ${near}?`);
  });

  it('is answered with a directory by the tools for directories', async () => {
    await using tools = await testTools({}, await filesAt(root, paths));
    const path = '/home/else/src';
    for (const [name, args] of [
      ['ls', {}],
      ['glob', { pattern: '**' }],
      ['grep', { pattern: 'tea' }],
    ] as const)
      expect((await tools.call(name, { path, ...args })).text).toContain('Did you mean /src?');
  });

  it('is not answered with what the tools do not reach', async () => {
    const files = await filesAt(root, [...paths, '/hidden/a.ts', '/hiddem']);
    await using tools = await testTools({ ignore: ['hidde*'] }, files);
    for (const path of ['/else/hidden/a.ts', '/hiddew', '/nothing/like/it'])
      expect((await tools.read({ path })).text).not.toContain('Did you mean');
  });
});

describe('the spelling of the machine', () => {
  it('is printed by each tool where an option asks for it', async () => {
    await using tools = await testTools({ paths: 'machine' }, await filesAt(root, paths));
    const at = (path: string): string => `${root}${path}`;
    expect((await tools.ls({ path: '/src' })).text).toBe(`${at('/src/a.ts')} (4 bytes)\n${at('/src/deep')}/`);
    expect((await tools.glob({ pattern: '**/*.ts' })).text).toBe(
      `${at('/src/a.ts')}\n${at('/src/deep/b.ts')}`,
    );
    expect((await tools.grep({ pattern: 'tea', path: 'src/a.ts' })).text).toBe(`${at('/src/a.ts')}\n1: tea`);
    expect((await tools.grep({ pattern: 'tea', path: 'src/deep', output: 'counts' })).text).toBe(
      `${at('/src/deep/b.ts')}: 1`,
    );
    expect((await tools.read({ path: '/else/src/a.ts' })).text).toContain(`Did you mean ${at('/src/a.ts')}?`);
    expect((await tools.read({ path: '/src' })).text).toContain(JSON.stringify(at('/src')));
    expect((await tools.write({ path: '/src/a.ts', content: 'x' })).text).toContain(
      `${at('/src/a.ts')} exists`,
    );
    expect((await tools.write({ path: 'new.ts', content: 'x' })).text).toContain(`Created ${at('/new.ts')}`);
    const edit = { path: at('/src/a.ts'), old_string: 'tea', new_string: 'cake' };
    expect((await tools.edit(edit)).text).toBe(`Replaced one passage in ${at('/src/a.ts')}.`);
    expect((await tools.edit(edit)).text).toContain(`${at('/src/a.ts')} was not changed`);
    expect((await tools.remove({ path: '/new.ts' })).text).toBe(`Deleted ${at('/new.ts')}.`);
    expect((await tools.ls({ path: '../x' })).text).toContain(`Paths begin there: ${at('/src/a.ts')}`);
  });

  it('is the root where files are not on its disk', async () => {
    await using tools = await testTools({ paths: 'machine' });
    expect((await tools.write({ path: 'a.ts', content: 'x' })).text).toContain('Created /a.ts');
  });
});

it('Events name the file of a call from the root on, however the model spells it', async () => {
  const model = scriptedModel([
    {
      toolCalls: [
        { name: 'read_file', args: { path: `${root}/src/a.ts`, offset: 1 } },
        { name: 'glob', args: { pattern: '*', path: `${root}/src/./deep/` } },
      ],
    },
    { text: 'Done.' },
  ]);
  const files = await filesAt(root, paths);
  await using agent = await createAgent({ model, files, plugins: [filesystem()], log: 'silent' });
  const located: unknown[] = [];
  for await (const event of agent.stream('Go'))
    if (event.type === 'tool-start') located.push(event.locations);
  expect(located).toEqual([[{ path: '/src/a.ts', line: 1 }], [{ path: '/src/deep' }]]);
});
