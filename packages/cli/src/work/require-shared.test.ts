import { rmSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { makeProject } from '../../test/project.ts';

const config = 'name: test\nmodel: offline\n';

it.each([
  ['run --detach', ['hi']],
  ['worker', []],
  ['pending', []],
  ['approve', ['1']],
  ['reject', ['1']],
  ['answer', ['1', '1']],
  ['send', ['s', 'hi']],
  ['resume', ['s']],
  ['resume', ['s', '--abandon']],
])('shallot %s %j refuses a store in memory, and says what to write', async (command, args) => {
  const project = makeProject({ 'shallot.config.yaml': `${config}store: memory\n` });
  const { status, stdout, stderr } = await project.here([...command.split(' '), ...args]);
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toMatch(
    new RegExp(
      `error STORE_LOCAL shallot.config.yaml:3:8: shallot ${command} works across processes, .*write \`store: sqlite\``,
    ),
  );
});

it('the same commands work once the advice is followed', async () => {
  const project = makeProject({ 'shallot.config.yaml': config });
  for (const store of ['', 'store: sqlite\n']) {
    project.write({ 'shallot.config.yaml': `${config}${store}` });
    expect(await project.here(['run', '--detach', '-s', 'tea', 'hi'])).toMatchObject({ status: 0 });
    expect(await project.here(['pending'])).toMatchObject({ status: 0 });
    expect(await project.here(['resume', 'tea'])).toMatchObject({ status: 0 });
    rmSync(join(project.folder, '.shallot'), { recursive: true });
  }
});
