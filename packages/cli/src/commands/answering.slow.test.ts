import { describe, expect, it } from 'vitest';

import { waiting } from '../../test/approvals.ts';
import { makeProject } from '../../test/project.ts';

describe('answering from other processes', () => {
  it('lets two people answer at the same moment', async () => {
    const { project, remove, write } = await waiting();
    const answers = await Promise.all([project.run(['approve', remove]), project.run(['reject', write])]);
    expect(answers.map(({ status }) => status)).toEqual([0, 0]);
    expect(await project.open()).toEqual([]);
  });
});

/** A project with a tool that asks and one that never ends, called in one step. */
function makeAsking(): ReturnType<typeof makeProject> {
  return makeProject({
    'shallot.config.yaml': 'model: ./model.ts\ntools: [./tools.ts]\n',
    'model.ts': `
      import { scriptedModel } from '@shallot/testing';
      export default scriptedModel([{ toolCalls: [{ name: 'ask' }, { name: 'wait' }] }]);`,
    'tools.ts': `
      import { defineTool } from '@shallot/core';
      const tool = (name, execute) => defineTool({ name, description: name, input: { type: 'object' }, execute });
      export const ask = tool('ask', (_args, { interrupt }) => interrupt({ kind: 'q', payload: 1, answer: {} }));
      export const wait = tool('wait', () => { console.error('working'); return new Promise(() => setTimeout(() => {}, 1e6)); });`,
  });
}

describe('a session that is being worked on', () => {
  it('takes no second run and is not deleted, status 1; it takes an answer at once', async () => {
    const project = makeAsking();
    const running = project.start(['run', '-s', 'tea', 'Go']);
    await running.seen('working');
    await running.seen('asks q');
    for (const args of [
      ['resume', 'tea'],
      ['run', '-s', 'tea', 'Go'],
      ['sessions', 'delete', 'tea'],
    ]) {
      const { status, stderr } = await project.here(args);
      expect(status).toBe(1);
      expect(stderr).toMatch(/^error STORE_CONFLICT: Session "tea" is being worked on by process \d+ on /);
    }
    expect(await project.here(['answer', 'int', '1'])).toMatchObject({ status: 0 });
    running.child.kill('SIGKILL');
    await running.ended;
    expect((await project.here(['pending'])).stdout).toBe('');
  });

  it('lets an answer wait while its process is stopped', async () => {
    const project = makeAsking();
    const running = project.start(['run', '-s', 'tea', 'Go']);
    await running.seen('working');
    await running.seen('asks q');
    running.child.kill('SIGSTOP');
    const answering = project.start(['answer', 'int', '1']);
    await answering.seen('Waiting until it takes the answer');
    running.child.kill('SIGKILL');
    await running.ended;
    expect(await answering.ended).toMatchObject({ status: 0 });
  });
});
