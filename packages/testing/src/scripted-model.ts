import { ShallotError, type JsonValue, textOf, type AssistantPart, type Message } from '@shallot/core';
import {
  modelError,
  type ChatModel,
  type Chunk,
  type FinishReason,
  type ModelContext,
  type ModelRequest,
  type ModelResponse,
  type Usage,
} from '@shallot/core/model';
import { toolCallsOf } from '@shallot/core/plugin';

import { assembleContent, toolCallPart } from './assemble-content.ts';
import { assertValidRequest } from './assert-valid-request.ts';

/** The answer or failure of one call of a scripted model, or a function that returns it. */
export type ScriptedStep = ScriptedAnswer | ScriptedError | ScriptedChunks | ScriptedFunction;

/** Returns the step for a call, which sees the request; `index` counts the calls from 0. */
export type ScriptedFunction = (request: ModelRequest, index: number) => ScriptedStep | Promise<ScriptedStep>;

/** A complete answer: reasoning, text and tool calls become parts in this order. */
export interface ScriptedAnswer {
  readonly reasoning?: string;
  readonly text?: string;
  readonly toolCalls?: readonly ScriptedToolCall[];
  readonly usage?: Usage;
  /** The finish reason. Default: `tool-calls` if there are any, else `stop`. */
  readonly finish?: FinishReason;
}

/** A tool call in a scripted answer. */
export interface ScriptedToolCall {
  readonly name: string;
  /** The arguments. Default: `{}`. */
  readonly args?: JsonValue;
  /**
   * The id of the call. Default: `call_1`, `call_2` … for this model. An empty string simulates a provider that sends
   * no id.
   */
  readonly id?: string;
  /** The argument text as the model wrote it, such as broken JSON. Replaces `args`. */
  readonly raw?: string;
}

/** A failing call. The value is thrown unchanged. */
export interface ScriptedError {
  readonly error: unknown;
}

/**
 * An answer in pieces. A string is a delta of the open text part, or begins a new one. Without streaming, the answer is
 * the sum of its pieces.
 */
export interface ScriptedChunks {
  readonly chunks: readonly (string | Chunk)[];
  /** Sends nothing after the last piece. The call settles when it is aborted; with `ignore-signal` it never settles. */
  readonly stall?: true | 'ignore-signal';
  /**
   * `broken` throws `MODEL_STREAM_BROKEN` after the last piece; any other value is the finish reason. Default: `stop`.
   */
  readonly end?: 'broken' | FinishReason;
  readonly usage?: Usage;
}

/** A model that follows a script and records its requests. */
export interface ScriptedModel extends ChatModel {
  /** All requests, as received. */
  readonly requests: readonly ModelRequest[];
  /** The number of calls. */
  readonly calls: number;
  /**
   * Throws an error that a layer may have swallowed (an invalid request, an unexpected call), or one for unused steps.
   * @throws `TEST_MODEL_UNCONSUMED` for unused steps
   */
  assertDone(): void;
}

/** Options of `scriptedModel`. */
export interface ScriptedModelOptions {
  /** The id of the model. Default: `test/scripted`. */
  readonly id?: string;
  readonly contextTokens?: number;
  /** The number of cache marks that it accepts. Default: 0. */
  readonly cacheMarks?: number;
}

/**
 * Creates a model that answers each call with the next step of a script, and checks each request with
 * `assertValidRequest`. When streaming, it sends text word by word and arguments in pieces; both modes return the same
 * response. A call beyond the script rejects with `TEST_MODEL_UNEXPECTED`.
 */
export function scriptedModel(
  steps: readonly ScriptedStep[],
  { id = 'test/scripted', contextTokens, cacheMarks = 0 }: ScriptedModelOptions = {},
): ScriptedModel {
  const requests: ModelRequest[] = [];
  const faults: unknown[] = [];
  let toolCalls = 0;
  const newId = (): string => `call_${(toolCalls += 1)}`;

  async function nextStep(request: ModelRequest): Promise<Exclude<ScriptedStep, ScriptedFunction>> {
    const index = requests.push(request) - 1;
    let step: ScriptedStep | undefined = steps[index];
    try {
      assertValidRequest(request);
      if (step === undefined) throw unexpectedCall(id, steps.length, request.messages);
    } catch (error) {
      faults.push(error);
      throw error;
    }
    while (typeof step === 'function') step = await step(request, index);
    return step;
  }

  return {
    id,
    ...(contextTokens === undefined ? {} : { limits: { contextTokens } }),
    cacheMarks,
    requests,
    get calls() {
      return requests.length;
    },
    async generate(request, call) {
      call.signal.throwIfAborted();
      const step = await nextStep(request);
      if ('error' in step) throw step.error;
      if (!('chunks' in step)) return answer(step, call, newId);
      return answerInChunks(step, call);
    },
    assertDone() {
      if (faults.length > 0) throw faults[0];
      if (requests.length < steps.length) throw unconsumedSteps(id, steps, requests.length);
    },
  };
}

async function answer(step: ScriptedAnswer, call: ModelContext, newId: () => string): Promise<ModelResponse> {
  const {
    reasoning,
    text,
    toolCalls = [],
    usage,
    finish = toolCalls.length > 0 ? 'tool-calls' : 'stop',
  } = step;
  const content: AssistantPart[] = [];
  const chunks: Chunk[] = [];
  const add = (part: AssistantPart, deltas: readonly Chunk[]): void => {
    // Pushes them one by one, because a long answer has more deltas than a call may have arguments.
    for (const delta of deltas) chunks.push(delta);
    chunks.push({ type: 'part-end', index: content.length });
    content.push(part);
  };
  if (reasoning !== undefined) {
    const index = content.length;
    add(
      { type: 'reasoning', text: reasoning },
      words(reasoning).map((text) => ({ type: 'reasoning-delta', index, text })),
    );
  }
  if (text !== undefined) {
    const index = content.length;
    add(
      { type: 'text', text },
      words(text).map((text) => ({ type: 'text-delta', index, text })),
    );
  }
  for (const { name, args = {}, id = newId(), raw = JSON.stringify(args) } of toolCalls) {
    const index = content.length;
    const [first = '', ...others] = raw.match(/[\s\S]{1,12}/g) ?? [];
    add(toolCallPart(id, name, raw), [
      { type: 'tool-call-delta', index, ...(id === '' ? {} : { id }), name, text: first },
      ...others.map((text): Chunk => ({ type: 'tool-call-delta', index, text })),
    ]);
  }
  await send(chunks, call);
  return response(content, finish, usage);
}

async function answerInChunks(step: ScriptedChunks, call: ModelContext): Promise<ModelResponse> {
  const { end = 'stop', stall, usage } = step;
  const chunks = withIndexes(step.chunks);
  await send(chunks, call);
  if (stall !== undefined) await never(stall === true ? call.signal : undefined);
  if (end === 'broken') {
    throw modelError('MODEL_STREAM_BROKEN', { message: 'The scripted answer breaks off here.' });
  }
  await send(missingEnds(chunks), call);
  return response(assembleContent(chunks), end, usage);
}

async function send(chunks: readonly Chunk[], { emit, signal, wantsChunks }: ModelContext): Promise<void> {
  if (!wantsChunks) return;
  for (const chunk of chunks) {
    signal.throwIfAborted();
    await emit(chunk);
  }
  signal.throwIfAborted();
}

function response(
  content: readonly AssistantPart[],
  finish: FinishReason,
  usage: Usage | undefined,
): ModelResponse {
  return { message: { role: 'assistant', content }, finish, ...(usage === undefined ? {} : { usage }) };
}

/** Splits text into words, each with its trailing space. */
function words(text: string): string[] {
  return text.match(/\s*\S+\s*|\s+/g) ?? [];
}

function withIndexes(pieces: readonly (string | Chunk)[]): Chunk[] {
  const chunks: Chunk[] = [];
  let next = 0;
  for (const piece of pieces) {
    const last = chunks.at(-1);
    const index = last?.type === 'text-delta' ? last.index : next;
    const chunk: Chunk = typeof piece === 'string' ? { type: 'text-delta', index, text: piece } : piece;
    next = chunk.type === 'restart' ? 0 : Math.max(next, chunk.index + 1);
    chunks.push(chunk);
  }
  return chunks;
}

/** Returns `part-end` chunks for the parts that a script leaves open. */
function missingEnds(chunks: readonly Chunk[]): Chunk[] {
  const open = new Set<number>();
  for (const chunk of chunks) {
    if (chunk.type === 'restart') open.clear();
    else if (chunk.type === 'part-end') open.delete(chunk.index);
    else open.add(chunk.index);
  }
  return [...open].map((index) => ({ type: 'part-end', index }));
}

/** Rejects when the signal is aborted; without a signal, never settles. */
async function never(signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>((resolve) => {
    if (signal?.aborted === true) resolve();
    signal?.addEventListener('abort', () => resolve(), { once: true });
  });
  signal?.throwIfAborted();
}

/** Creates the error of a provider that rejects a call because of its rate limit. */
export function rateLimited({ retryAfterMs }: { readonly retryAfterMs?: number } = {}): ShallotError {
  return modelError('MODEL_RATE_LIMITED', {
    message: 'The scripted provider answers 429: too many requests.',
    retryAt: retryAfterMs === undefined ? undefined : Date.now() + retryAfterMs,
  });
}

function unexpectedCall(id: string, steps: number, messages: readonly Message[]): ShallotError {
  const last = messages.slice(-3).map((message) => `  ${describeMessage(message)}`);
  return new ShallotError('TEST_MODEL_UNEXPECTED', {
    message: `${id} was called more often than the ${steps} steps of its script. The request ends with\n${last.join('\n')}`,
  });
}

function describeMessage(message: Message): string {
  const calls = toolCallsOf(message).map((call) => `${call.name}(${JSON.stringify(call.input)})`);
  const text = [textOf(message), ...calls].filter((part) => part !== '').join(' ');
  return `${message.role}: ${text.length > 200 ? `${text.slice(0, 200)}…` : text}`;
}

function unconsumedSteps(id: string, steps: readonly ScriptedStep[], calls: number): ShallotError {
  const rest = steps.slice(calls).map((step, index) => {
    const text =
      typeof step === 'function'
        ? 'a function'
        : JSON.stringify('error' in step ? { error: String(step.error) } : step);
    return `  step ${calls + index + 1}: ${text.slice(0, 200)}`;
  });
  return new ShallotError('TEST_MODEL_UNCONSUMED', {
    message: `${id} was called ${calls} times, but its script has ${steps.length} steps. Unused:\n${rest.join('\n')}`,
  });
}
