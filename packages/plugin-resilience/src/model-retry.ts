import { isShallotError, type RunInfo } from '@shallot/core';
import type { Chunk, ModelRequest, ModelResponse } from '@shallot/core/model';
import {
  isInterrupt,
  isTransient,
  messageOf,
  option,
  type ModelNext,
  type ModelScope,
  type ReadyAgent,
} from '@shallot/core/plugin';

import { backOffShape, delayAfter, waitFor, type BackOff, type BackOffOptions } from './back-off.ts';
import { leavesCircuitOpen } from './circuit-open.ts';
import { defineLayer } from './layer.ts';
import { timeLeftFor } from './time-left.ts';

/** Outcome of an attempt: an error or a response. */
export interface RetryOutcome {
  readonly error?: unknown;
  readonly response?: ModelResponse;
}

/** Options of the retries of model calls. */
export interface ModelRetryOptions extends BackOffOptions {
  /** Kinds of response to retry. Default: none. */
  readonly responses?: readonly ResponseFault[];
  /**
   * `live` streams each attempt, with a `restart` before the next; `hold` streams only the final one. Default: `live`.
   */
  readonly stream?: 'live' | 'hold';
  /**
   * Returns whether to retry; `undefined` keeps the default, which retries transient errors and the kinds in
   * `responses`. In code only.
   */
  readonly when?: (outcome: RetryOutcome, run: RunInfo) => boolean | undefined | Promise<boolean | undefined>;
}

type ResponseFault = 'empty' | 'refusal' | 'cut-off';

interface Settings extends BackOff {
  readonly responses: readonly ResponseFault[];
  readonly stream: 'live' | 'hold';
  readonly when?: ModelRetryOptions['when'];
  readonly timeLeft: ReadyAgent['timeLeft'];
}

export const modelRetryLayer = defineLayer({
  name: 'model-retry',
  priority: 36,
  shape: {
    ...backOffShape,
    responses: option
      .list(option.oneOf('empty', 'refusal', 'cut-off'))
      .default([])
      .describe('Kinds of response to retry.'),
    stream: option
      .oneOf('live', 'hold')
      .default('live')
      .describe('live streams each attempt, hold only the final one.'),
    when: option.callback<NonNullable<ModelRetryOptions['when']>>(),
  },
  add(plugin, settings, tap) {
    const timeLeft = timeLeftFor(plugin);
    plugin.hooks.wrapModelCall.tapPromise({ ...tap, internal: true }, (request, next, scope) =>
      retryModel(request, next, scope, { ...settings, timeLeft }),
    );
  },
});

async function retryModel(
  request: ModelRequest,
  next: ModelNext,
  scope: ModelScope,
  settings: Settings,
): Promise<ModelResponse> {
  const { run, signal } = scope;
  for (let attempt = 1; ; attempt += 1) {
    const held: Chunk[] = [];
    const outcome = await attemptOnce(request, next, scope, settings, held);
    const isOver = leavesCircuitOpen(request, outcome.error);
    const delay =
      !isOver && (await isRetried(outcome, scope, settings))
        ? delayAfter(attempt, outcome.error, settings, settings.timeLeft(run))
        : undefined;
    if (delay === undefined) {
      if (outcome.response === undefined) throw outcome.error;
      for (const chunk of held) await scope.emit?.(chunk);
      return outcome.response;
    }
    const why = outcome.response === undefined ? messageOf(outcome.error) : faultOf(outcome.response);
    const retry = { attempt, delayMs: Math.round(delay), model: request.model.id };
    run.log.warn({ event: 'retry', ...retry }, `model call is retried: ${why}`);
    // The event has no message, because one may contain values that are redacted in logs but not in events.
    run.event('retry', isShallotError(outcome.error) ? { ...retry, code: outcome.error.code } : retry);
    await waitFor(delay, signal);
  }
}

async function attemptOnce(
  request: ModelRequest,
  next: ModelNext,
  scope: ModelScope,
  { stream }: Settings,
  held: Chunk[],
): Promise<RetryOutcome> {
  const hold = (chunk: Chunk): void => {
    if (chunk.type === 'restart') held.length = 0;
    else held.push(chunk);
  };
  const isHeld = stream === 'hold' && scope.emit !== undefined;
  try {
    return { response: await next(request, isHeld ? { emit: hold } : {}) };
  } catch (error) {
    if (scope.signal.aborted || isInterrupt(error)) throw error;
    return { error };
  }
}

async function isRetried(
  outcome: RetryOutcome,
  scope: ModelScope,
  { responses, when }: Settings,
): Promise<boolean> {
  if (when !== undefined) {
    const answer: unknown = await scope.inTime('when', () => when(outcome, scope.run));
    if (typeof answer === 'boolean') return answer;
  }
  if (outcome.response === undefined) return isTransient(outcome.error);
  const fault = faultOf(outcome.response);
  return fault !== undefined && responses.includes(fault);
}

function faultOf({ message, finish }: ModelResponse): ResponseFault | undefined {
  if (finish === 'content-filter') return 'refusal';
  if (finish === 'length') return 'cut-off';
  const isEmpty = message.content.every((part) =>
    part.type === 'text' ? part.text.trim() === '' : part.type === 'reasoning',
  );
  return isEmpty ? 'empty' : undefined;
}
