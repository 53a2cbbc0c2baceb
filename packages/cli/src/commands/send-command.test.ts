import { expect, it } from 'vitest';

import { makeProject } from '../../test/project.ts';

it('shallot send sends a message to the run of another process, which reads it', async () => {
  const project = makeProject({ 'shallot.config.yaml': 'name: test\nmodel: offline\n' });
  await project.here(['run', '--detach', '-s', 'tea', 'How much?']);
  const sent = await project.here(['send', 'te', 'In grams, please.', '--by', 'ann']);
  expect(sent).toMatchObject({
    status: 0,
    stdout: 'Sent to session tea: its run reads it before the next model call.\n',
  });
  await project.here(['resume', 'tea']);
  const { messages } = JSON.parse((await project.here(['sessions', 'show', 'tea', '--json'])).stdout) as {
    messages: unknown[];
  };
  expect(messages).toContainEqual(
    expect.objectContaining({
      content: [{ type: 'text', text: 'In grams, please.' }],
      metadata: { core: { sent: expect.objectContaining({ by: 'ann' }) as unknown } },
    }),
  );
  const late = await project.here(['send', 'tea', 'Too late.']);
  expect([late.status, late.stderr]).toEqual([1, expect.stringContaining('SESSION_NOT_RUNNING')]);
  const odd = await project.here(['send', 'tea', 'x', '--when', 'soon']);
  expect([odd.status, odd.stderr]).toEqual([
    2,
    expect.stringContaining('--when is "soon"; write one of next-step'),
  ]);
});
