import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

import { isShallotError, textOf, type AssistantPart, type MessageInput, defineTool } from '@shallot/core';
import {
  toMessage,
  type ModelErrorCode,
  type ChatModel,
  type Chunk,
  type ModelRequest,
  type ModelResponse,
} from '@shallot/core/model';
import { toolCallsOf } from '@shallot/core/plugin';

import { assembleContent } from './assemble-content.ts';
import { registerChecks, type ConformanceCheck, type TestRunner } from './conformance.ts';

/**
 * The behavior of the model under test in its next calls: `text` answers with at least two words; `tool-call` calls
 * `add` with `{ "a": 2, "b": 3 }`; `stall` never ends; `broken` breaks off after part of the answer.
 */
export type ModelScenario = 'text' | 'tool-call' | 'stall' | 'broken';

/** Creates the model under test, with its provider replaced by one that plays the scenario. */
export type CreateModel = (scenario: ModelScenario) => ChatModel | Promise<ChatModel>;

/** Registers the conformance suite of a `ChatModel`: `await testModel(create)` at the top of a test file. */
export function testModel(create: CreateModel, runner?: TestRunner): Promise<void> {
  return registerChecks('a chat model', modelChecks(create), runner);
}

/** The time limit for an aborted call to settle. */
const abortBoundMs = 1000;

/** Returns the checks of the `ChatModel` suite, for use without `testModel`. */
export function modelChecks(create: CreateModel): ConformanceCheck[] {
  return [
    {
      name: 'says what it is called and how much it takes',
      async run() {
        const { id, limits = {} } = await create('text');
        assert.ok(typeof id === 'string' && id !== '', `the id is ${JSON.stringify(id)}`);
        for (const [name, value] of Object.entries(limits)) {
          assert.ok(Number.isInteger(value) && Number(value) > 0, `limits.${name} is ${String(value)}`);
        }
      },
    },
    {
      name: 'answers in one piece when no chunks are wanted',
      async run() {
        const { response, chunks } = await ask(await create('text'), { wantsChunks: false });
        assert.deepEqual(chunks, [], 'it emitted chunks that nobody wanted');
        checkResponse(response);
        assert.notEqual(textOf(response.message), '', 'the answer has no text');
        assert.equal(response.finish, 'stop');
      },
    },
    {
      name: 'streams what it returns',
      async run() {
        const { response, chunks } = await ask(await create('text'));
        checkResponse(response);
        checkChunks(chunks, response);
        const whole = await ask(await create('text'), { wantsChunks: false });
        assert.deepEqual(
          comparable(response),
          comparable(whole.response),
          'the two modes give different answers',
        );
      },
    },
    {
      name: 'calls tools, in both modes',
      async run() {
        for (const wantsChunks of [false, true]) {
          const { response, chunks } = await ask(await create('tool-call'), { wantsChunks });
          checkResponse(response);
          const calls = toolCallsOf({ ...response.message, id: 'answer' });
          assert.deepEqual(
            calls.map(({ name, input }) => ({ name, input })),
            [{ name: 'add', input: { a: 2, b: 3 } }],
          );
          assert.equal(response.finish, 'tool-calls');
          if (wantsChunks) checkChunks(chunks, response);
        }
      },
    },
    {
      name: 'takes a history with reasoning, tool calls, results and files',
      async run() {
        const { response } = await ask(await create('text'), { messages: richHistory });
        checkResponse(response);
      },
    },
    {
      name: 'waits for the promise that emit returns',
      async run() {
        let busy = false;
        let hurried = false;
        const emit = async (): Promise<void> => {
          hurried ||= busy;
          busy = true;
          await sleep(1);
          busy = false;
        };
        const { chunks } = await ask(await create('text'), { emit });
        assert.ok(!hurried, 'it emitted a chunk while the consumer was busy with the one before');
        assert.ok(!busy, 'it returned before the last chunk was taken');
        const emitted = chunks.length;
        await sleep(20);
        assert.equal(chunks.length, emitted, 'it went on emitting after it had returned');
      },
    },
    {
      name: 'leaves a frozen request as it is',
      async run() {
        const model = await create('text');
        const request = requestFor(model, richHistory);
        const text = (): string => JSON.stringify({ ...request, model: model.id });
        const before = text();
        await ask(model, { request });
        assert.equal(text(), before, 'it changed the request');
      },
    },
    {
      name: 'rejects at once when it is aborted before it begins',
      async run() {
        const model = await create('text');
        await rejectsInTime(ask(model, { signal: AbortSignal.abort(new Error('stop')) }));
      },
    },
    {
      name: 'rejects soon after an abort, in both modes, and emits nothing more',
      async run() {
        for (const wantsChunks of [false, true]) {
          const controller = new AbortController();
          const { call, chunks } = begin(await create('stall'), { wantsChunks, signal: controller.signal });
          setTimeout(() => controller.abort(new Error('stop')), 20);
          await rejectsInTime(call);
          const emitted = chunks.length;
          await sleep(20);
          assert.equal(chunks.length, emitted, 'it went on emitting after the abort');
        }
      },
    },
    {
      name: 'rejects an answer that breaks off with an error of models, in both modes',
      async run() {
        for (const wantsChunks of [false, true]) {
          const error: unknown = await ask(await create('broken'), { wantsChunks }).then(
            () => assert.fail('half an answer was returned as whole'),
            (thrown: unknown) => thrown,
          );
          assert.ok(
            isShallotError(error) && modelErrors.has(error.code),
            `it threw ${String(error)}, which is not made by modelError(code, …)`,
          );
        }
      },
    },
  ];
}

interface Ask {
  readonly wantsChunks?: boolean;
  readonly signal?: AbortSignal;
  readonly messages?: readonly MessageInput[];
  readonly request?: ModelRequest;
  readonly emit?: (chunk: Chunk) => void | Promise<void>;
}

async function ask(
  model: ChatModel,
  options: Ask = {},
): Promise<{ response: ModelResponse; chunks: readonly Chunk[] }> {
  const { call, chunks } = begin(model, options);
  return { response: await call, chunks };
}

function begin(
  model: ChatModel,
  { wantsChunks = true, signal = new AbortController().signal, messages = [question], request, emit }: Ask,
): { call: Promise<ModelResponse>; chunks: readonly Chunk[] } {
  const chunks: Chunk[] = [];
  const record = (chunk: Chunk): void | Promise<void> => {
    chunks.push(chunk);
    return emit?.(chunk);
  };
  const call = model.generate(request ?? requestFor(model, messages), { signal, emit: record, wantsChunks });
  return { call, chunks };
}

const question: MessageInput = {
  role: 'user',
  content:
    'If there is a tool named "add", call it with a = 2 and b = 3. Answer else with the words "one two three".',
};

const richHistory: readonly MessageInput[] = [
  {
    role: 'user',
    content: [
      { type: 'text', text: 'What is this?' },
      { type: 'file', mediaType: 'image/png', data: 'iVBORw0KGgo=' },
    ],
  },
  {
    role: 'assistant',
    content: [
      { type: 'reasoning', text: 'I could add.' },
      { type: 'text', text: 'Let me add.' },
      { type: 'tool-call', id: 'call-a', name: 'add', input: { a: 1, b: 1 } },
      { type: 'tool-call', id: 'call-b', name: 'add', input: {}, raw: '{"a": 1,' },
    ],
  },
  { role: 'tool', callId: 'call-a', name: 'add', content: '2', data: 2 },
  { role: 'tool', callId: 'call-b', name: 'add', content: 'The arguments are not JSON.', isError: true },
  question,
];

const add = defineTool({
  name: 'add',
  description: 'Adds two numbers.',
  input: {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
    required: ['a', 'b'],
  },
  effect: 'read',
  execute: () => 5,
});

/** All codes of model errors. The compiler refuses a code that is missing or unknown. */
const codes: Readonly<Record<ModelErrorCode, true>> = {
  MODEL_RATE_LIMITED: true,
  MODEL_OVERLOADED: true,
  MODEL_NETWORK: true,
  MODEL_STREAM_BROKEN: true,
  MODEL_IDLE: true,
  MODEL_EMPTY: true,
  MODEL_CONTEXT_OVERFLOW: true,
  MODEL_AUTH: true,
  MODEL_BAD_REQUEST: true,
  MODEL_CONTENT_FILTERED: true,
  MODEL_RESPONSE: true,
  MODEL_FAILED: true,
};
const modelErrors: ReadonlySet<string> = new Set(Object.keys(codes));

function requestFor(model: ChatModel, inputs: readonly MessageInput[]): ModelRequest {
  const messages = inputs.map((input, index) => toMessage(structuredClone(input), () => `message-${index}`));
  return Object.freeze({
    model,
    instructions: 'Be brief.',
    messages: Object.freeze(messages),
    tools: Object.freeze([add]),
    settings: Object.freeze({}),
  });
}

/** The required members of usage. */
const noTokens = { input: undefined, output: undefined, total: undefined };

function checkResponse(response: ModelResponse): void {
  const { message, usage, finish, metadata } = response;
  assert.equal(message.role, 'assistant');
  assert.ok(message.content.length > 0, 'the answer has no parts');
  toMessage({ ...message, ...(metadata && { metadata }) }, () => 'answer');
  const finishes = ['stop', 'tool-calls', 'length', 'content-filter', 'error', 'other'];
  assert.ok(finishes.includes(finish), `finish is ${JSON.stringify(finish)}`);
  if (usage === undefined) return;
  for (const [name, tokens] of Object.entries({ ...noTokens, ...usage })) {
    assert.ok(Number.isInteger(tokens) && tokens >= 0, `usage.${name} is ${String(tokens)}`);
  }
  assert.ok(
    usage.input >= (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0),
    'usage.input leaves out the cache',
  );
  assert.ok(usage.output >= (usage.reasoning ?? 0), 'usage.output leaves out the reasoning');
  assert.ok(usage.total >= usage.input + usage.output, 'usage.total is less than input and output');
}

function checkChunks(chunks: readonly Chunk[], response: ModelResponse): void {
  assert.ok(chunks.length > 0, 'it streamed nothing');
  assert.deepEqual(
    assembleContent(chunks).map(withoutMetadata),
    response.message.content.map(withoutMetadata),
    'the chunks do not add up to the answer',
  );
  const ended = new Set<number>();
  for (const chunk of chunks) {
    if (chunk.type === 'restart') {
      ended.clear();
      continue;
    }
    assert.ok(!ended.has(chunk.index), `part ${chunk.index} got a ${chunk.type} after its end`);
    if (chunk.type === 'part-end') ended.add(chunk.index);
  }
  for (const index of response.message.content.keys())
    assert.ok(ended.has(index), `part ${index} was never ended`);
}

function comparable({ message, finish }: ModelResponse): unknown {
  return { content: message.content.map(withoutMetadata), finish };
}

function withoutMetadata(part: AssistantPart): AssistantPart {
  const { metadata: _, ...rest } = part;
  return rest;
}

async function rejectsInTime(call: Promise<unknown>): Promise<void> {
  const bound = new AbortController();
  const late = sleep(abortBoundMs, 'was still there', { signal: bound.signal });
  const settled = call.then(
    () => 'answered',
    () => 'rejected',
  );
  const outcome = await Promise.race([settled, late]);
  bound.abort();
  assert.equal(outcome, 'rejected', `${abortBoundMs} ms after the abort the call ${outcome}`);
}
