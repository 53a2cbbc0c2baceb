import { collectEvents } from '@shallot/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';

import { approve, bench, del, idOf, requestOf, toolMessages } from '../test/approvals.ts';

const never = (): Promise<never> => new Promise(() => {});
const short = { hookTimeoutMs: 30 };

describe('a callback of the policy that never settles', () => {
  it('denies the call when it is the condition, and is named', async () => {
    const { agent, done } = bench([del('/a')], { tools: { delete_file: { when: never } } }, short);
    await using live = await agent();
    const result = await live.run('Go');
    expect(done).toEqual([]);
    expect(toolMessages(result.messages)).toEqual([
      'delete_file DENIED: The call of delete_file was denied by hitl: the gate failed: "when" of hitl (wrapToolCall) did not settle within 30 ms. Make it faster, or raise hookTimeoutMs.',
    ]);
  });

  it('leaves out the description, with a warning, and the answer holds after a resume', async () => {
    let asked = 0;
    const describe = (): Promise<string> => (asked++ === 0 ? never() : Promise.resolve('Deletes for good'));
    const { agent, done } = bench([del('/a')], { tools: { delete_file: { describe } } }, short);
    await using live = await agent();
    const stream = live.stream('Go', { sessionId: 's' });
    const { events } = await collectEvents(stream);
    const { interrupts } = await stream.result;
    expect(events.filter(({ type }) => type === 'warning')).toMatchObject([
      { code: 'hitl/NOT_DESCRIBED', plugin: 'hitl' },
    ]);
    expect(requestOf(interrupts[0])).toEqual({
      tool: 'delete_file',
      arguments: 'path: "/a"',
      decisions: ['approve', 'edit', 'reject', 'respond'],
    });
    const result = await live.resume('s', { [idOf(interrupts[0])]: approve });
    expect(result.outcome).toBe('completed');
    expect(done).toEqual(['delete {"path":"/a"}']);
  });

  it('ends at once with an abort, which decides nothing', async () => {
    const entered = Promise.withResolvers<void>();
    const describe = (): Promise<string> => (entered.resolve(), never());
    const { agent, store } = bench([del('/a')], { tools: { delete_file: { describe } } });
    await using live = await agent();
    const controller = new AbortController();
    const run = live.run('Go', { sessionId: 's', signal: controller.signal });
    void entered.promise.then(() => controller.abort());
    await expect(run).rejects.toMatchObject({ code: 'RUN_ABORTED' });
    const kept = Object.keys((await store.load('s'))?.journal ?? {});
    expect(kept.filter((key) => !key.includes(':verdict:'))).toEqual([]);
  });
});

describe('a person who is asked in the process', () => {
  it('may take their time: nobody is warned that the run waits', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const asked = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<typeof approve>();
    const ask = (): Promise<typeof approve> => (asked.resolve(), answered.promise);
    const { agent, done } = bench([del('/a')], { ask });
    await using live = await agent();
    const collected = collectEvents(live.stream('Go'));
    await asked.promise;
    await vi.advanceTimersByTimeAsync(120_000);
    answered.resolve(approve);
    const { events } = await collected;
    expect(events.filter(({ type }) => type === 'warning')).toEqual([]);
    expect(done).toEqual(['delete {"path":"/a"}']);
  });
});
