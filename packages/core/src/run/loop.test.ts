import { describe, expect, it } from 'vitest';

import { collectEvents } from '../../../testing/src/collect-events.ts';
import { scriptedModel } from '../../../testing/src/scripted-model.ts';
import { message, runRecord } from '../../../testing/src/store/store-samples.ts';
import { definePlugin } from '../contract/define-plugin.ts';
import type { RunRecord, Store } from '../contract/store.ts';
import { createAgent } from '../create-agent.ts';
import { memoryStore } from '../sessions/stores/memory-store.ts';

describe('a run that is aborted', () => {
  it('before its first step begins none', async () => {
    const model = scriptedModel([]);
    await using agent = await createAgent({ log: 'silent', model });
    const { events } = await collectEvents(agent.stream('Go', { signal: AbortSignal.abort('no') }));
    expect(events.map(({ type }) => type)).not.toContain('step-start');
    expect(model.calls).toBe(0);
  });

  it('at the end of its only tap of beforeAgent does not enter it again', async () => {
    const entered: boolean[] = [];
    const abort = new AbortController();
    const plugin = definePlugin({
      name: 'stops',
      beforeAgent(run) {
        entered.push(run.resumed);
        abort.abort('enough');
      },
    })();
    await using agent = await createAgent({
      log: 'silent',
      model: scriptedModel([{ text: 'Done.' }]),
      plugins: [plugin],
    });
    const run = agent.run('Go', { sessionId: 's', signal: abort.signal });
    await expect(run).rejects.toMatchObject({ code: 'RUN_ABORTED' });
    expect(await agent.resume('s')).toMatchObject({ text: 'Done.' });
    expect(entered).toEqual([false]);
  });
});

/** A session whose run died, or ended, in this position, after these messages. */
async function diedAt(run: Partial<RunRecord>, kept = 'Kept.'): Promise<Store> {
  const store = memoryStore();
  const answer = { ...message('b', kept), role: 'assistant' as const };
  const result = { ...message('c', 'The tool failed.'), role: 'tool' as const, callId: 'x', name: 'work' };
  const calling = {
    ...message('d'),
    role: 'assistant' as const,
    content: [{ type: 'tool-call' as const, id: 'x', name: 'work', input: {} }],
  };
  await store.commit('s', 0, {
    append: [message('a'), answer, calling, result as never],
    run: { ...runRecord('r', 'running'), firstMessage: 'a', ...run },
  });
  return store;
}

describe('a run whose process died at its end', () => {
  it.each<[string, Partial<RunRecord>, object]>([
    [
      'has its answer',
      { position: { at: 'end', message: 'b', finish: 'stop' }, stopReason: 'answer' },
      { text: 'Kept.', finish: 'stop', stopReason: 'answer' },
    ],
    [
      'has the message that a plugin ended it with',
      { position: { at: 'end', message: 'b' }, stopReason: 'ended' },
      { text: 'Kept.', finish: undefined, stopReason: 'ended' },
    ],
    [
      'has the result that it ended with',
      { position: { at: 'end', message: 'c' }, stopReason: 'return-directly' },
      { text: 'The tool failed.', finish: undefined, stopReason: 'return-directly' },
    ],
    [
      'has no text without a message',
      { position: { at: 'end' }, stopReason: 'ended' },
      { text: '', finish: undefined, stopReason: 'ended' },
    ],
  ])('%s', async (_, run, result) => {
    await using agent = await createAgent({
      log: 'silent',
      model: scriptedModel([]),
      store: await diedAt(run),
    });
    const { outcome, text, finish, stopReason } = await agent.resume('s');
    expect({ outcome, text, finish, stopReason }).toEqual({ outcome: 'completed', ...result });
  });

  it.each<[string, string | undefined, object]>([
    ['by a tool that failed', 'c', { code: 'TOOL_FAILED', message: 'The tool failed.' }],
    [
      'by something that was not stored',
      undefined,
      {
        code: 'SESSION_UNFINISHED',
        message: 'The run had failed when its process died; its error was not saved.',
      },
    ],
  ])('fails as it had failed: %s', async (_, id, error) => {
    const position = { at: 'end', ...(id !== undefined && { message: id }) } as const;
    const store = await diedAt({ position, stopReason: 'error' });
    await using agent = await createAgent({ log: 'silent', model: scriptedModel([]), store });
    await expect(agent.resume('s')).rejects.toMatchObject(error);
  });
});

describe('an answer with an output schema, of a run whose process died at its end', () => {
  const output = { name: 'output', schema: { type: 'object', required: ['a'] } };

  async function resumed(kept: string, finish?: 'stop') {
    const position = { at: 'end', message: 'b', ...(finish !== undefined && { finish }) } as const;
    const stopReason = finish === undefined ? 'ended' : 'answer';
    const store = await diedAt({ position, stopReason, output }, kept);
    await using agent = await createAgent({ log: 'silent', model: scriptedModel([]), store });
    return await agent.resume('s');
  }

  it('is read again', async () => {
    expect(await resumed('{"a":1}', 'stop')).toMatchObject({ outcome: 'completed', output: { a: 1 } });
  });

  it('fails the run if it does not match: no step is left to correct it', async () => {
    await expect(resumed('{}', 'stop')).rejects.toMatchObject({ code: 'OUTPUT_INVALID' });
  });

  it('is not checked if a plugin gave it', async () => {
    const result = await resumed('Enough.');
    expect(result).toMatchObject({ outcome: 'completed', text: 'Enough.' });
    expect(result.output).toBeUndefined();
  });
});

it('an input of several messages has a result for each call, and a call for each result', async () => {
  const input = [
    { role: 'user', content: 'Go' },
    { role: 'tool', callId: 'x', name: 'work', content: 'orphan' },
  ] as const;
  await using agent = await createAgent({ log: 'silent', model: scriptedModel([{ text: 'Done.' }]) });
  const { events, result } = await collectEvents(agent.stream(input));
  expect(result?.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
  expect(events).toContainEqual({
    type: 'warning',
    code: 'MESSAGES_REPAIRED',
    message: 'The messages were not valid: results without a call were dropped (x).',
  });
});
