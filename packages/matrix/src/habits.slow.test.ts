import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createAgent, textOf } from '@shallot/core';
import { diskFiles } from '@shallot/core/files';
import filesystem from '@shallot/plugin-filesystem';
import repair from '@shallot/plugin-repair';
import shell from '@shallot/plugin-shell';
import { scriptedModel } from '@shallot/testing';
import { expect, it, onTestFinished } from 'vitest';

import { habitTasks } from '../test/habits/habit-tasks.ts';
import { models } from '../test/habits/habits.ts';

/** A copy of a package, which the models work on. */
function makeRepository(): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'shallot-habits-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const name of ['src', 'package.json', 'README.md'])
    cpSync(join(import.meta.dirname, '../../plugin-filesystem', name), join(root, name), { recursive: true });
  mkdirSync(join(root, 'docs'));
  return root;
}

/** The results of calls of which a model gets nothing. */
const isNothing = /^(?:\[?No |\/\S* is empty)/;

/** The answers to wasted calls: they say how the next one is right. */
const advice =
  /[Ww]ith literal: true|\*\*\/\*\.test\.ts also finds|there is no property "(?:end_line|requires_approval)"; known: /;

it.each(models)(
  '$agent: $paths paths, $patterns patterns, $globs globs and $edits edits waste one call a task at most',
  async (habits) => {
    const root = makeRepository();
    const tasks = Object.entries(habitTasks(habits, root));
    const calls = tasks.flatMap(([, each]) => each);
    const model = scriptedModel(
      tasks.flatMap(([, each]) => [
        ...each.map(([name, args]) => ({ toolCalls: [{ name, args }] })),
        { text: 'Done.' },
      ]),
    );
    await using agent = await createAgent({
      model,
      files: diskFiles(root),
      plugins: [filesystem(), shell({ unattended: true }), repair()],
      log: 'silent',
    });
    let made = 0;
    for (const [task] of tasks) {
      const { messages } = await agent.run('Go', { sessionId: 's' });
      const results = messages.filter((message) => message.role === 'tool');
      made += results.length;
      const wasted = results
        .filter((result) => result.isError === true || isNothing.test(textOf(result)))
        .map((result) => `${result.name}: ${textOf(result)}`);
      expect({ task, wasted: wasted.slice(1) }).toEqual({ task, wasted: [] });
      for (const each of wasted) expect(each).toMatch(advice);
    }
    expect(made).toBe(calls.length);
  },
);

it('there are twenty models with ten tasks', () => {
  expect(models).toHaveLength(20);
  for (const habits of models) expect(Object.keys(habitTasks(habits, '/'))).toHaveLength(10);
});
