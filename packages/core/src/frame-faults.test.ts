import { describe, expect, it } from 'vitest';

import { createAgent } from './agent.ts';
import { inlinePlugin } from './testing/inline-plugin.ts';
import { scriptedModel } from './testing/scripted-model.ts';

const never = (): Promise<never> => new Promise(() => {});

describe('a frame that never settles', () => {
  it('fails the run when it has not entered it in time', async () => {
    const stuck = inlinePlugin('stuck', ({ frame }) => frame(never));
    const model = scriptedModel([]);
    await using agent = await createAgent({ model, logger: 'silent', hookTimeoutMs: 30, plugins: [stuck] });
    await expect(agent.run('hello')).rejects.toMatchObject({
      code: 'HOOK_TIMEOUT',
      message: expect.stringContaining('stuck') as string,
      result: { outcome: 'failed' },
    });
  });

  it('does not keep the result of a run that is over: it is noted', async () => {
    const stuck = inlinePlugin('stuck', ({ frame }) =>
      frame(async (_, next) => {
        await next();
        return never();
      }),
    );
    const model = scriptedModel([{ text: 'Done.' }]);
    await using agent = await createAgent({ model, logger: 'silent', hookTimeoutMs: 30, plugins: [stuck] });
    const result = await agent.run('hello');
    expect(result).toMatchObject({ outcome: 'completed', text: 'Done.', errors: [{ code: 'HOOK_TIMEOUT' }] });
  });

  it('does not stand in the way of an abort', async () => {
    const stuck = inlinePlugin('stuck', ({ frame }) => frame(never));
    await using agent = await createAgent({ model: scriptedModel([]), logger: 'silent', plugins: [stuck] });
    const controller = new AbortController();
    const run = agent.run('hello', { signal: controller.signal });
    setTimeout(() => controller.abort(), 10);
    await expect(run).rejects.toMatchObject({ code: 'RUN_ABORTED' });
  });
});
