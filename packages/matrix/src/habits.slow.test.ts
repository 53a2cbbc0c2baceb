import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { diskFiles } from '@shallot/core/files';
import { expect, it, onTestFinished } from 'vitest';

import { habitTasks } from '../test/habit-tasks.ts';
import { models } from '../test/habits.ts';
import { testTools } from '../test/tools.ts';

/** A copy of this package, which the models work on. */
function makeRepository(): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'shallot-habits-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const name of ['src', 'package.json', 'README.md'])
    cpSync(join(import.meta.dirname, '..', name), join(root, name), { recursive: true });
  mkdirSync(join(root, 'docs'));
  return root;
}

it.each(models)(
  '$agent: $paths paths, $patterns patterns, $globs globs and $edits edits waste one call a task at most',
  async (habits) => {
    const root = makeRepository();
    await using tools = await testTools({}, diskFiles(root));
    for (const [task, calls] of Object.entries(habitTasks(habits, root))) {
      const wasted: string[] = [];
      for (const [name, args] of calls) {
        const { text, isError } = await tools.call(name, args);
        if (isError || /^(?:\[?No |\/\S* is empty)/.test(text)) wasted.push(`${name}: ${text}`);
      }
      expect({ task, wasted: wasted.slice(1) }).toEqual({ task, wasted: [] });
      // The result of a call that is wasted names the one that is not.
      for (const each of wasted) expect(each).toMatch(/With literal: true|\*\*\/\*\.test\.ts also finds/);
    }
  },
);

it('there are twenty models with ten tasks', () => {
  expect(models).toHaveLength(20);
  for (const habits of models) expect(Object.keys(habitTasks(habits, '/'))).toHaveLength(10);
});
