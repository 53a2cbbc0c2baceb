import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { collectEvents } from '../../../testing/src/collect-events.ts';
import { eventLines } from '../../../testing/src/event-lines.ts';
import { scriptedModel, type ScriptedStep } from '../../../testing/src/scripted-model.ts';
import { isShallotError } from '../base/errors.ts';
import { isTransient } from '../base/is-transient.ts';
import type { AgentOptions } from '../contract/agent-options.ts';
import { definePlugin } from '../contract/define-plugin.ts';
import type { AgentEvent } from '../contract/events.ts';
import { textOf, type Message } from '../contract/messages.ts';
import type { RunResult } from '../contract/result.ts';
import type { Store } from '../contract/store.ts';
import { defineTool } from '../contract/tool.ts';
import { createAgent } from '../create-agent.ts';
import { memoryStore } from '../sessions/stores/memory-store.ts';

const look = defineTool({
  name: 'look',
  description: 'Looks.',
  input: { type: 'object' },
  execute: () => 'an onion',
});

interface Ran {
  readonly result: RunResult;
  readonly error: unknown;
  readonly events: readonly AgentEvent[];
  readonly history: readonly string[];
  readonly log: string;
}

async function run(steps: readonly ScriptedStep[], options: Partial<AgentOptions> = {}): Promise<Ran> {
  const model = scriptedModel(steps);
  let log = '';
  await using agent = await createAgent({
    model,
    tools: [look],
    logStream: { write: (line: string) => void (log += line) },
    ...options,
  });
  const { events, result, error } = await collectEvents(agent.stream('hello', { sessionId: 's' }));
  if (result === undefined) throw new Error('there is no result', { cause: error });
  model.assertDone();
  const { messages = [] } = (await agent.session('s')) ?? {};
  return { result, error, events, history: messages.map(line), log };
}

function line(message: Message): string {
  const source = message.source === undefined ? '' : ` (${message.source})`;
  return `${message.role}${source}: ${textOf(message)}`;
}

const warnings = (events: readonly AgentEvent[]): string[] =>
  events.flatMap((event) => (event.type === 'warning' ? [event.code] : []));

describe('an answer that is not whole', () => {
  it.each([
    ['length', 'ANSWER_CUT_OFF'],
    ['content-filter', 'ANSWER_FILTERED'],
  ] as const)('of the finish %s is told by result, stream and log', async (finish, code) => {
    const { result, events, history, log } = await run([{ text: 'An oni', finish }]);
    expect(result).toMatchObject({ outcome: 'completed', stopReason: finish, finish, text: 'An oni' });
    expect(warnings(events)).toEqual([code]);
    expect(log).toContain(code);
    expect(history).toEqual(['user: hello', 'assistant: An oni']);
  });

  it('may have come to nothing: that is no empty answer', async () => {
    const { result } = await run([{ reasoning: 'Hm.', finish: 'length' }]);
    expect(result).toMatchObject({ outcome: 'completed', stopReason: 'length', text: '' });
  });

  it('still gives the output, if that is whole', async () => {
    const model = scriptedModel([{ text: '{"kind":"onion"}', finish: 'length' }]);
    await using agent = await createAgent({ log: 'silent', model });
    const result = await agent.run('hello', { output: z.object({ kind: z.string() }) });
    expect(result).toMatchObject({ stopReason: 'length', output: { kind: 'onion' } });
  });

  it('is not the answer of a run that a hook ends with another', async () => {
    const ending = definePlugin({ name: 'ending', afterModel: (_, { end }) => end('The end.') })();
    const { result, events } = await run([{ text: 'An oni', finish: 'length' }], { plugins: [ending] });
    expect(result).toMatchObject({ stopReason: 'ended', text: 'The end.' });
    expect(warnings(events)).toEqual([]);
  });
});

describe('a whole answer', () => {
  it('is none of the run when its end could not be stored', async () => {
    const store = memoryStore();
    const { commit } = store;
    const full: Store = {
      ...store,
      commit: (sessionId, revision, change) =>
        change.claim === null ? Promise.reject(new Error('disk full')) : commit(sessionId, revision, change),
    };
    const model = scriptedModel([{ text: 'An onion.' }]);
    await using agent = await createAgent({ log: 'silent', model, store: full });
    const error: unknown = await agent.run('hello').catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'STORE_FAILED', result: { outcome: 'failed', text: '' } });
    expect(isShallotError(error) && error.result).not.toHaveProperty('finish');
  });

  it.each(['stop', 'other'] as const)('has its finish in the result: %s', async (finish) => {
    const { result, events } = await run([{ text: 'An onion.', finish }]);
    expect(result).toMatchObject({ stopReason: 'answer', finish });
    expect(warnings(events)).toEqual([]);
  });
});

describe('the last step', () => {
  const calling: ScriptedStep = { toolCalls: [{ name: 'look' }] };

  it('is told by result, stream and log when the run was stopped there', async () => {
    const { result, events, log } = await run([calling], { maxSteps: 1 });
    expect(result).toMatchObject({ outcome: 'completed', stopReason: 'max-steps', text: '' });
    expect(result).not.toHaveProperty('finish');
    expect(warnings(events)).toEqual(['MAX_STEPS']);
    expect(log).toContain('maxSteps: 1');
  });

  it('is also told when the model answered after it, as is that the answer was cut off', async () => {
    const options = { maxSteps: 1, maxStepsAnswer: true };
    const { result, events } = await run([calling, { text: 'An oni', finish: 'length' }], options);
    expect(result).toMatchObject({ stopReason: 'max-steps', finish: 'length', text: 'An oni' });
    expect(warnings(events)).toEqual(['MAX_STEPS', 'ANSWER_CUT_OFF']);
  });

  it('fails with MODEL_EMPTY when the model has no answer after it', async () => {
    const { result, error } = await run([calling, {}], { maxSteps: 1, maxStepsAnswer: true });
    expect(result.outcome).toBe('failed');
    expect(error).toMatchObject({ code: 'MODEL_EMPTY' });
  });
});

const told =
  'user (empty-answer): Your answer was empty: it contained no text and no tool call. Answer again.';

describe('an empty answer of the model', () => {
  const empty: Record<string, ScriptedStep> = {
    'no part': {},
    'reasoning alone': { reasoning: 'Hm.' },
    'white space': { text: ' \n' },
    'the finish "other"': { finish: 'other' },
  };
  for (const [name, step] of Object.entries(empty)) {
    it(`is not kept, and the model is told once: ${name}`, async () => {
      const { result, history } = await run([step, { text: 'An onion.' }]);
      expect(result).toMatchObject({ outcome: 'completed', stopReason: 'answer', steps: 2 });
      expect(history).toEqual(['user: hello', told, 'assistant: An onion.']);
    });
  }

  it('the second time makes the run fail, so that it may be tried again', async () => {
    const { result, error, history } = await run([{}, {}]);
    expect(result).toMatchObject({ outcome: 'failed', stopReason: 'model-error' });
    expect(isShallotError(error, 'MODEL_EMPTY') && isTransient(error)).toBe(true);
    expect(history).toEqual(['user: hello', told]);
  });

  it.each([
    ['at once', []],
    [
      'after an afterModel that was waited for',
      [
        definePlugin({
          name: 'slow',
          setup: ({ hooks }) => hooks.afterModel.tapPromise('x', () => Promise.resolve(undefined)),
        })(),
      ],
    ],
  ])('leaves a run that asks the model anew when it is taken up: %s', async (_, plugins) => {
    const model = scriptedModel([{}, {}, { text: 'An onion.' }]);
    await using agent = await createAgent({ log: 'silent', model, plugins });
    await expect(agent.run('hello', { sessionId: 's' })).rejects.toMatchObject({ code: 'MODEL_EMPTY' });
    expect(await agent.resume('s')).toMatchObject({ outcome: 'completed', text: 'An onion.', steps: 2 });
    model.assertDone();
  });

  it('is told once in each run', async () => {
    const model = scriptedModel([{}, { text: 'One.' }, {}, { text: 'Two.' }]);
    await using agent = await createAgent({ log: 'silent', model });
    expect((await agent.run('hello', { sessionId: 's' })).text).toBe('One.');
    expect((await agent.run('hello', { sessionId: 's' })).text).toBe('Two.');
  });

  it('is taken back from the stream, and has no message there', async () => {
    const { events } = await run([{ reasoning: 'Hm.' }, { text: 'An onion.' }]);
    expect(eventLines(events)).toEqual([
      'run-start',
      'step-start 1',
      'reasoning 0 "Hm."',
      'part-end 0',
      'restart',
      'step-start 2',
      'text 0 "An onion."',
      'part-end 0',
      'message "An onion."',
      'run-end completed answer',
    ]);
  });

  it('counts in the usage', async () => {
    const usage = { input: 1, output: 0, total: 1 };
    const { result } = await run([{ usage }, { text: 'An onion.', usage }]);
    expect(result.usage).toMatchObject({ total: 2, modelCalls: 2 });
  });

  it('may be tried again by a layer', async () => {
    const retry = definePlugin({
      name: 'retry',
      async wrapModelCall(request, next) {
        const response = await next(request);
        return response.message.content.length > 0 ? response : next(request);
      },
    })();
    const { result, history } = await run([{}, { text: 'An onion.' }], { plugins: [retry] });
    expect(result.steps).toBe(1);
    expect(history).toEqual(['user: hello', 'assistant: An onion.']);
  });

  it('gives way to what a plugin adds to go on', async () => {
    const again = definePlugin({
      name: 'again',
      afterModel: (_, { again, step }) => (step === 1 ? again('Well?') : undefined),
    })();
    const { history } = await run([{}, { text: 'An onion.' }], { plugins: [again] });
    expect(history).toEqual(['user: hello', 'user: Well?', 'assistant: An onion.']);
  });

  it('is still empty after a question in afterModel', async () => {
    const asking = definePlugin({
      name: 'asking',
      async afterModel(_, { interrupt, step }) {
        if (step === 1) await interrupt({ kind: 'q', payload: 1, answer: { type: 'string' } });
      },
    })();
    const model = scriptedModel([{}, { text: 'An onion.' }]);
    await using agent = await createAgent({ log: 'silent', model, plugins: [asking] });
    const { interrupts } = await agent.run('hello', { sessionId: 's' });
    const result = await agent.resume('s', { [interrupts[0]?.id ?? '']: 'go on' });
    expect(result.messages.map(line)).toEqual(['user: hello', told, 'assistant: An onion.']);
  });
});

describe('an answer that a layer empties', () => {
  const emptied = { message: { role: 'assistant', content: [] } } as const;

  it.each([
    [
      'wrapModelCall',
      definePlugin({
        name: 'emptying',
        async wrapModelCall(request, next) {
          await next(request);
          return emptied;
        },
      })(),
    ],
    ['afterModel', definePlugin({ name: 'emptying', afterModel: () => emptied })()],
  ])('in %s stays as it is', async (_, plugin) => {
    const { result, history } = await run([{ text: 'An onion.' }], { plugins: [plugin] });
    expect(result).toMatchObject({ outcome: 'completed', stopReason: 'answer', text: '' });
    expect(history).toEqual(['user: hello', 'assistant: ']);
  });

  it('that made it itself, too', async () => {
    const plugin = definePlugin({ name: 'silent', wrapModelCall: () => emptied })();
    expect((await run([], { plugins: [plugin] })).result).toMatchObject({ outcome: 'completed', text: '' });
  });
});
