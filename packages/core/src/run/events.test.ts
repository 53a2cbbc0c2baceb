import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { collectEvents } from '../../../testing/src/collect-events.ts';
import { eventLines } from '../../../testing/src/event-lines.ts';
import { scriptedModel } from '../../../testing/src/scripted-model.ts';
import { definePlugin } from '../contract/define-plugin.ts';
import { defineTool } from '../contract/tool.ts';
import { createAgent } from '../create-agent.ts';

const look = defineTool({
  name: 'look',
  description: 'Looks.',
  input: z.object({ at: z.string() }),
  async *execute({ at }) {
    yield 'looking';
    return `${at} is an onion`;
  },
});
const ask = defineTool({
  name: 'ask',
  description: 'Asks.',
  input: { type: 'object' },
  execute: (_, context) =>
    context.interrupt({ kind: 'question', payload: 'Sure?', answer: { type: 'string' } }),
});

/** A plugin that says in each hook that it was there. */
const telling = definePlugin({
  name: 'telling',
  beforeAgent: (run) => run.event('beforeAgent'),
  beforeModel: (_, run) => run.event('beforeModel', { messages: run.messages.length }),
  wrapModelCall(request, next, { run }) {
    run.event('wrapModelCall');
    return next(request);
  },
  afterModel: (_, run) => run.event('afterModel'),
  wrapToolCall(call, next, { run }) {
    run.event('wrapToolCall', call.input);
    return next(call);
  },
  afterAgent: (_, run) => run.event('afterAgent'),
})();

describe('the events of a run', () => {
  it('come in the order of what happens, those of plugins among them', async () => {
    const model = scriptedModel([
      { text: 'Let me see.', toolCalls: [{ name: 'look', args: { at: 'it' } }] },
      { text: 'An onion.' },
    ]);
    await using agent = await createAgent({ model, tools: [look], plugins: [telling] });
    const { events } = await collectEvents(agent.stream('hello'));
    expect(eventLines(events)).toMatchInlineSnapshot(`
      [
        "run-start",
        "plugin telling/beforeAgent null",
        "step-start 1",
        "plugin telling/beforeModel {"messages":1}",
        "plugin telling/wrapModelCall null",
        "text 0 "Let me see."",
        "part-end 0",
        "tool-call 1 "{\\"at\\":\\"it\\"}"",
        "part-end 1",
        "plugin telling/afterModel null",
        "message "Let me see." look({"at":"it"})",
        "tool-start look({"at":"it"})",
        "plugin telling/wrapToolCall {"at":"it"}",
        "tool-progress "looking"",
        "tool-end look "it is an onion"",
        "step-start 2",
        "plugin telling/beforeModel {"messages":3}",
        "plugin telling/wrapModelCall null",
        "text 0 "An onion."",
        "part-end 0",
        "plugin telling/afterModel null",
        "message "An onion."",
        "plugin telling/afterAgent null",
        "run-end completed answer",
      ]
    `);
  });

  it('of an interrupted run and of its resume are those of two streams', async () => {
    const model = scriptedModel([{ toolCalls: [{ name: 'ask' }] }, { text: 'Done.' }]);
    await using agent = await createAgent({ model, tools: [ask] });
    const first = await collectEvents(agent.stream('hello', { sessionId: 's' }));
    expect(eventLines(first.events)).toMatchInlineSnapshot(`
      [
        "run-start",
        "step-start 1",
        "tool-call 0 "{}"",
        "part-end 0",
        "message "" ask({})",
        "tool-start ask({})",
        "interrupt tool question",
        "run-end interrupted interrupt",
      ]
    `);
    const answers = { [first.result?.interrupts[0]?.id ?? '']: 'yes' };
    const second = await collectEvents(agent.streamResume('s', answers));
    expect(eventLines(second.events)).toMatchInlineSnapshot(`
      [
        "run-start resumed",
        "tool-start ask({})",
        "tool-end ask "yes"",
        "step-start 2",
        "text 0 "Done."",
        "part-end 0",
        "message "Done."",
        "run-end completed answer",
      ]
    `);
  });

  it('name run, session, step and call, so that they can be put together', async () => {
    const model = scriptedModel([{ toolCalls: [{ name: 'look', args: { at: 'it' } }] }, { text: 'x' }]);
    await using agent = await createAgent({ model, tools: [look] });
    const { events, result } = await collectEvents(agent.stream('hello', { sessionId: 's' }));
    expect(events[0]).toEqual({ type: 'run-start', runId: result?.runId, sessionId: 's', resumed: false });
    expect(events.find(({ type }) => type === 'tool-progress')).toEqual({
      type: 'tool-progress',
      step: 1,
      callId: 'call_1',
      data: 'looking',
    });
    expect(events.find(({ type }) => type === 'message')).toMatchObject({ step: 1, finish: 'tool-calls' });
    expect(events.at(-1)).toMatchObject({ type: 'run-end', result: { text: 'x' } });
  });

  it('of a failed run end with its result', async () => {
    await using agent = await createAgent({
      log: 'silent',
      model: scriptedModel([{ error: new Error('no') }]),
    });
    const { events, error } = await collectEvents(agent.stream('hello'));
    expect(eventLines(events)).toEqual(['run-start', 'step-start 1', 'run-end failed model-error']);
    expect(error).toMatchObject({ code: 'MODEL_FAILED' });
  });

  it('of a plugin are JSON, and refused by name when they are not', async () => {
    const wrong = definePlugin({ name: 'wrong', beforeModel: (_, run) => run.event('when', new Date(0)) })();
    await using agent = await createAgent({ log: 'silent', model: scriptedModel([]), plugins: [wrong] });
    const { error } = await collectEvents(agent.stream('hello'));
    expect(error).toMatchObject({ code: 'VALUE_NOT_JSON', plugin: 'wrong', hook: 'beforeModel' });
  });

  it('hold what plugins warn of, under codes of their own', async () => {
    const careful = definePlugin({
      name: 'careful',
      beforeModel: (_, { warn }) => warn('NO_DISK', 'Nothing is kept.'),
    })();
    await using agent = await createAgent({
      model: scriptedModel([{ text: 'Hello.' }]),
      plugins: [{ use: careful, id: 'second' }],
      log: 'silent',
    });
    const { events } = await collectEvents(agent.stream('hello'));
    expect(events.filter(({ type }) => type === 'warning')).toEqual([
      { type: 'warning', code: 'careful/NO_DISK', message: 'Nothing is kept.', plugin: 'second' },
    ]);
  });
});
