import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

import { diskFiles } from '@shallot/core/files';
import { expect, it, onTestFinished } from 'vitest';

import { testTools } from '../test/tools.ts';

/** Counts the opens of this process, by the name of what is opened. */
function countOpens(): ReadonlyMap<string, number> {
  const { openSync } = fs;
  const opens = new Map<string, number>();
  fs.openSync = (path, ...rest) => {
    const name = basename(String(path));
    opens.set(name, (opens.get(name) ?? 0) + 1);
    return openSync(path, ...rest);
  };
  syncBuiltinESMExports();
  onTestFinished(() => {
    fs.openSync = openSync;
    syncBuiltinESMExports();
  });
  return opens;
}

it('A search opens each small file once, and each directory a few times, however deep', async () => {
  const root = fs.mkdtempSync(join(tmpdir(), 'shallot-grep-'));
  onTestFinished(() => fs.rmSync(root, { recursive: true, force: true }));
  const directories = ['d0', 'd0/d1', 'd0/d1/d2', 'd0/d1/d2/d3'];
  const names = directories.flatMap((directory, depth) => {
    fs.mkdirSync(join(root, directory));
    return Array.from({ length: 25 }, (_, index) => {
      const name = `file-${depth}-${index}.ts`;
      fs.writeFileSync(join(root, directory, name), `const value = ${index};\n`);
      return name;
    });
  });
  await using tools = await testTools({}, diskFiles(root));
  const opens = countOpens();
  const { text } = await tools.grep({ pattern: 'value = 2[0-4]', output: 'files' });
  expect(text.split('\n')).toHaveLength(directories.length * 5);
  expect(names.map((name) => opens.get(name))).toEqual(names.map(() => 1));
  const all = [...opens.values()].reduce((sum, count) => sum + count, 0);
  // Each directory is listed, and opened for its files, by a walk from the root.
  expect(all - names.length).toBeLessThan(directories.length * 20);
});
