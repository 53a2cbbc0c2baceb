import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { expect, it, onTestFinished } from 'vitest';

import { thisStart } from '../../base/this-process.ts';
import { diskFiles } from '../disk-files.ts';
import { sealed } from './seal.ts';
import {
  acceptLoaded,
  digestOf,
  filesOf,
  hasChanged,
  noteWritten,
  recordsIn,
  watchLoaded,
  watchRun,
  type LoadedRecord,
} from './watch-loaded.ts';

/** A directory of a config, loaded from `a.ts`, `late.ts`, which does not exist, and all of `tools`. */
function watchedConfig(store: object = {}) {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'shallot-watch-')));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const path = (name: string): string => join(directory, name);
  const write = (name: string, content: string): void => {
    mkdirSync(dirname(path(name)), { recursive: true });
    writeFileSync(path(name), content);
  };
  write('a.ts', 'a');
  write('tools/t.ts', 't');
  const globs = new Map([[path('tools/*.ts'), { directory, glob: 'tools/*.ts' }]]);
  watchLoaded(directory, { files: new Set([path('a.ts'), path('late.ts')]), globs }, store);
  return {
    directory,
    path,
    write,
    /** Begins a run; returns a function that ends it. */
    run: (): (() => void) => {
      const end = watchRun(store);
      if (end === undefined) throw new Error('the store is not watched');
      return end;
    },
    record: () => recordIn(directory),
  };
}

/** The record of this process; undefined if there is none. */
function recordIn(directory: string): LoadedRecord | undefined {
  const folder = recordsIn(directory);
  const [name] = existsSync(folder) ? readdirSync(folder) : [];
  return name === undefined
    ? undefined
    : (JSON.parse(readFileSync(join(folder, name), 'utf8')) as LoadedRecord);
}

/** The names of the files that a record has with a digest that is not theirs now. */
function changedIn(record: LoadedRecord | undefined): readonly string[] {
  return Object.entries(record?.files ?? {})
    .filter(([file, digest]) => digest !== digestOf(file))
    .map(([file]) => file.slice(file.lastIndexOf('/') + 1));
}

it('a run keeps a record of what its agent was loaded from, which goes at its end', () => {
  const { directory, path, run, record } = watchedConfig();
  expect(record()).toBeUndefined();
  const end = run();
  expect(record()).toEqual({
    format: 1,
    pid: process.pid,
    ...thisStart(),
    files: {
      [path('a.ts')]: digestOf(path('a.ts')),
      [path('late.ts')]: 'missing',
      [path('tools/t.ts')]: digestOf(path('tools/t.ts')),
    },
    globs: [{ directory, glob: 'tools/*.ts' }],
  });
  expect(readdirSync(recordsIn(directory))).toEqual([`${process.pid}-${thisStart().started ?? 0}.json`]);
  const { mode } = statSync(recordsIn(directory));
  expect(process.platform === 'win32' ? 0o700 : mode & 0o777).toBe(0o700);
  end();
  expect(record()).toBeUndefined();
});

it.each([
  ['a changed file', 'a.ts', 'A'],
  ['a new file', 'late.ts', 'late'],
  ['a new file that a glob matches', 'tools/new.ts', 'new'],
])('%s stays on record after the run, until a person accepts it', (_, name, content) => {
  const { directory, path, write, run, record } = watchedConfig();
  let end = run();
  write(name, content);
  end();
  const kept = record();
  expect(kept?.files[path(name)]).not.toBe(digestOf(path(name)));
  expect(changedIn(kept)).toHaveLength(1);
  // A later run in which nothing changes does not forget it.
  end = run();
  end();
  expect(changedIn(record())).toEqual(changedIn(kept));
  acceptLoaded(directory);
  run()();
  expect(record()).toBeUndefined();
});

it('a removed file stays on record', () => {
  const { path, run, record } = watchedConfig();
  const end = run();
  rmSync(path('a.ts'));
  end();
  expect(changedIn(record())).toEqual(['a.ts']);
});

it('several runs at once have one record, from the beginning of the first to the end of the last', () => {
  const { write, run, record } = watchedConfig();
  const [first, second] = [run(), run()];
  const before = record();
  write('a.ts', 'A');
  write('tools/new.ts', 'new');
  const third = run();
  expect(record()).toEqual(before);
  first();
  second();
  expect(record()).toEqual(before);
  third();
  expect(changedIn(record()).toSorted()).toEqual(['a.ts', 'new.ts']);
});

it('what changes between two runs is no change', () => {
  const { write, run, record } = watchedConfig();
  run()();
  write('a.ts', 'A');
  run()();
  expect(record()).toBeUndefined();
});

it('what the file service writes is no change, also through a link, and other files still are', () => {
  const { path, write, run, record } = watchedConfig();
  rmSync(path('a.ts'));
  write('real.ts', 'a');
  symlinkSync('real.ts', path('a.ts'));
  const end = run();
  write('real.ts', 'A');
  write('late.ts', 'late');
  write('tools/t.ts', 'T');
  noteWritten(path('real.ts'));
  noteWritten(path('late.ts'));
  expect(changedIn(record())).toEqual(['t.ts']);
  end();
  expect(changedIn(record())).toEqual(['t.ts']);
});

it('what tools change through the files of an agent is no change', async () => {
  const { directory, write, run, record } = watchedConfig();
  const files = diskFiles(directory, { unlock: ['loaded'] });
  const end = run();
  await files.write('/a.ts', 'A');
  await files.append('/tools/t.ts', 'T');
  expect(changedIn(record())).toEqual([]);
  write('late.ts', 'late');
  await expect(files.write('/a.ts', 'x', { ifRevision: 'other' })).rejects.toMatchObject({
    code: 'FILE_CONFLICT',
  });
  expect(changedIn(record())).toEqual(['late.ts']);
  end();
  expect(changedIn(record())).toEqual(['late.ts']);
});

it('a write that no run waits for leaves no record', () => {
  const { path, write, run, record } = watchedConfig();
  run()();
  write('a.ts', 'A');
  noteWritten(path('a.ts'));
  expect(record()).toBeUndefined();
});

it('changes that a person accepts during a run are none at its end', () => {
  const { directory, write, run, record } = watchedConfig();
  const end = run();
  write('a.ts', 'A');
  expect(changedIn(record())).toEqual(['a.ts']);
  acceptLoaded(directory);
  expect(changedIn(record())).toEqual([]);
  end();
  expect(record()).toBeUndefined();
});

it('after changes were accepted, the next run begins with the files as they are then', () => {
  const { directory, write, run, record } = watchedConfig();
  const end = run();
  write('a.ts', 'A');
  end();
  rmSync(recordsIn(directory), { recursive: true });
  acceptLoaded(directory);
  expect(record()).toBeUndefined();
  write('a.ts', 'AA');
  run()();
  expect(record()).toBeUndefined();
});

it('a config that is loaded again is watched once, with its new files as well', () => {
  const store = {};
  const { directory, path, write, run, record } = watchedConfig(store);
  write('b.ts', 'b');
  watchLoaded(directory, { files: new Set([path('b.ts')]), globs: new Map() }, store);
  const end = run();
  expect(Object.keys(record()?.files ?? {})).toHaveLength(4);
  end();
  expect(record()).toBeUndefined();
});

it('a run counts for each config whose agents share its store, and for no other', () => {
  const store = {};
  const [one, two, other] = [watchedConfig(store), watchedConfig(store), watchedConfig()];
  const end = one.run();
  expect([one, two, other].map(({ record }) => record() !== undefined)).toEqual([true, true, false]);
  end();
  expect([one, two, other].map(({ record }) => record() !== undefined)).toEqual([false, false, false]);
  expect(watchRun({})).toBeUndefined();
});

it('a run goes on where no record can be kept, or where somebody removes it', () => {
  const { directory, write, run, record } = watchedConfig();
  const end = run();
  rmSync(recordsIn(directory), { recursive: true });
  end();
  expect(record()).toBeUndefined();
  rmSync(join(directory, '.shallot'), { recursive: true });
  write('.shallot', 'a file');
  run()();
  expect(readFileSync(join(directory, '.shallot'), 'utf8')).toBe('a file');
});

it('a file with the seal of this project has not changed, and one that is gone has', () => {
  const { path, write } = watchedConfig();
  const digest = digestOf(path('a.ts'));
  expect(digest).toBe('ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb');
  expect(hasChanged(path('a.ts'), digest)).toBe(false);
  write('a.ts', 'A');
  expect(hasChanged(path('a.ts'), digest)).toBe(true);
  write('a.ts', sealed('A', path('a.ts')));
  expect(hasChanged(path('a.ts'), digest)).toBe(false);
  rmSync(path('a.ts'));
  expect(hasChanged(path('a.ts'), digest)).toBe(true);
  expect(hasChanged(path('a.ts'), 'missing')).toBe(false);
  // A directory cannot be loaded either.
  expect(digestOf(path('tools'))).toBe('missing');
});

it('globs match the files that exist now', () => {
  const { directory, path } = watchedConfig();
  expect(filesOf([{ directory, glob: 'tools/*.ts' }])).toEqual([path('tools/t.ts')]);
  expect(filesOf([{ directory, glob: 'none/*.ts' }])).toEqual([]);
});
