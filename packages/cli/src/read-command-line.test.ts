import { expect, it } from 'vitest';

import { makeProject } from '../test/project.ts';

it.each([
  [['run', 'what', 'is', 'it'], /too many arguments for 'run'\. .* Quote what has spaces\.$/m],
  [['run', '-s', 'a', '--session', 'b', 'hi'], /'-s, --session <id>'.* It is given twice; write it once\.$/m],
  [['init', '--template', 'chat', '--template', 'chat'], /It is given twice; write it once\.$/m],
  [['run', '--sesion', 'a', 'hi'], /'--sesion'\. Did you mean --session\?\n\(see shallot run --help\)$/m],
  [
    ['sessions', 'shwo', 'x'],
    /unknown command 'sessions shwo'\. Write one of show, search, delete, prune, backup\.$/m,
  ],
])('%j says what to do', async (args, why) => {
  const { status, stderr } = await makeProject({}).here(args);
  expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringMatching(why) as string });
  expect(stderr).toMatch(/^error USAGE_INVALID: /);
});

it('flags that take several values may be written several times', async () => {
  const project = makeProject({});
  const args = ['init', '--no-install', '--dry-run', '--plugin', 'memory', '--plugin', 'limits'];
  expect(await project.here(args)).toMatchObject({ status: 0 });
});

it.each([
  [['remove', 'memory'], 'lists a plugin "memory". There is nothing to remove.', 2],
  [['remove', 'memmory'], 'Did you mean "memory"?', 2],
  [['upgrade'], 'package.json lists no plugin, so there is nothing to upgrade. To add one: shallot add', 0],
])('%j in a project without plugins says so', async (args, words, status) => {
  const project = makeProject({ 'shallot.config.yaml': 'model: offline\n', 'package.json': '{}' });
  const ended = await project.here(args);
  expect(ended.stdout + ended.stderr).toContain(words);
  expect(ended.status).toBe(status);
});
