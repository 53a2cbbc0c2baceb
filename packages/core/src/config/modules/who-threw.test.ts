import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { afterAll, describe, expect, it } from 'vitest';

import { ShallotError } from '../../base/errors.ts';
import { notePluginFiles } from './plugin-files.ts';
import { whoThrew } from './who-threw.ts';

const folder = realpathSync.native(mkdtempSync(join(tmpdir(), 'shallot-who-threw-')));
afterAll(() => rmSync(folder, { recursive: true }));

function makeFile(path: string, content = ''): string {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
}

/** An error whose stack has these places, the innermost first. */
function thrownIn(...places: readonly string[]): Error {
  const error = new Error('broken');
  error.stack = ['Error: broken', ...places.map((place) => `    at fn (${place})`)].join('\n');
  return error;
}

const plugin = makeFile('audit.ts');
const helper = makeFile('helper.ts');
const library = makeFile('node_modules/library/index.js');
const bracketed = makeFile('copy (2)/audit.ts', `import './none.ts';`);
const installed = makeFile('node_modules/shallot-plugin-bee/dist/index.js');
makeFile('node_modules/shallot/package.json', '{ "name": "shallot" }');
const own = makeFile('node_modules/shallot/dist/main.js');
notePluginFiles(plugin, 'audit');
notePluginFiles(join(folder, 'node_modules/shallot-plugin-bee'), 'bee');

describe('who threw', () => {
  it.each([
    ['a file of a plugin', [`${plugin}:3:7`], 'audit', { file: plugin, line: 3, column: 7 }],
    [
      'a helper that a plugin called',
      [`file://${helper}:1:2`, `${plugin}:3:7`],
      'audit',
      { file: helper, line: 1, column: 2 },
    ],
    [
      'a library that a plugin called',
      [`${library}:9:9`, `${plugin}:3:7`],
      'audit',
      { file: plugin, line: 3, column: 7 },
    ],
    [
      'a package that is a plugin',
      ['node:timers:1:1', `${installed}:4:5`],
      'bee',
      { file: installed, line: 4, column: 5 },
    ],
    ['a helper alone', [`${helper}:1:2`], undefined, { file: helper, line: 1, column: 2 }],
    [
      'a file in a folder with brackets',
      [`${bracketed}:3:7`],
      undefined,
      { file: bracketed, line: 3, column: 7 },
    ],
    ['a library alone', [`${library}:9:9`], undefined, { file: library, line: 9, column: 9 }],
  ])('is found by the stack: %s', (_, places, name, at) => {
    expect(whoThrew(thrownIn(...places))).toEqual({ isOurs: false, at, ...(name && { plugin: name }) });
  });

  it('is us when the whole stack is ours', () => {
    expect(whoThrew(thrownIn(`${own}:1:1`, `${import.meta.filename}:1:1`))).toEqual({ isOurs: true });
  });

  it('is what an error says itself, whatever its stack', () => {
    const error = new ShallotError('RUN_ENDED', { message: 'too late', plugin: 'audit' });
    error.stack = thrownIn(`${own}:1:1`).stack ?? '';
    expect(whoThrew(error)).toEqual({ plugin: 'audit', isOurs: false });
  });

  it('is the file that Node names in the message alone', () => {
    const error = thrownIn(`${own}:1:1`);
    error.message = `Cannot find module '${folder}/copy (2)/none.ts' imported from ${bracketed}`;
    expect(whoThrew(error)).toEqual({ at: { file: bracketed, line: 1, column: 8 }, isOurs: false });
  });

  it('is nobody for what has no stack, or one that cannot be read', () => {
    const unreadable = Object.defineProperty(new Error('x'), 'stack', {
      get() {
        throw new Error('no');
      },
    });
    for (const thrown of [undefined, 'broken', { stack: plugin }, unreadable])
      expect(whoThrew(thrown)).toEqual({ isOurs: false });
  });
});
