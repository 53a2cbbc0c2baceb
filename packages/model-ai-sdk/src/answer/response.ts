import type { AssistantPart, JsonObject, JsonValue } from '@shallot/core';
import { modelError, type FinishReason, type ModelResponse, type Usage } from '@shallot/core/model';

import type { GenerateResult } from '../sdk/language-model.ts';
import { keptMetadata, originKey } from '../sdk/metadata.ts';
import { withLongerCache } from './longer-cache.ts';
import { rateLimitsIn } from './rate-limits.ts';
import { serviceTierIn } from './service-tier.ts';

/** The parts of a response, streamed or not. */
export interface Answer {
  readonly content: readonly AssistantPart[];
  readonly finishReason: GenerateResult['finishReason'];
  readonly usage: GenerateResult['usage'] | undefined;
  readonly response:
    | {
        readonly id?: string | undefined;
        readonly modelId?: string | undefined;
        readonly headers?: Readonly<Record<string, string>> | undefined;
      }
    | undefined;
  readonly warnings: readonly string[];
  readonly providerMetadata: unknown;
  /** Pieces that messages cannot contain. */
  readonly others: readonly JsonValue[];
}

/**
 * Converts a complete response. @throws `MODEL_FAILED`, `MODEL_CONTENT_FILTERED` or `MODEL_STREAM_BROKEN` if it is not
 * usable
 */
export function toResponse(
  model: { readonly id: string; readonly provider: string },
  answer: Answer,
): ModelResponse {
  const { content } = answer;
  const finish = finishOf(model.id, answer);
  const provider = keptMetadata(answer.providerMetadata);
  const usage = withLongerCache(toUsage(answer.usage), provider);
  return {
    message: { role: 'assistant', content, metadata: { [originKey]: { provider: model.provider } } },
    finish,
    ...(usage === undefined ? {} : { usage }),
    metadata: responseMetadata(answer, provider),
  };
}

/** Gemini's finish reasons for withheld tool calls, with which the response is empty. */
const refusedCall =
  /^(?:UNEXPECTED_TOOL_CALL|TOO_MANY_TOOL_CALLS|MALFORMED_FUNCTION_CALL|MISSING_THOUGHT_SIGNATURE)$/;

function finishOf(id: string, { content, finishReason }: Answer): FinishReason {
  const { unified, raw } = finishReason;
  const hasCalls = content.some((part) => part.type === 'tool-call');
  switch (unified) {
    case 'stop':
    case 'tool-calls':
      if (raw === 'pause_turn' && !hasCalls) return 'paused';
      // Some servers report "stop" even with tool calls.
      return hasCalls ? 'tool-calls' : 'stop';
    case 'length':
      return 'length';
    case 'content-filter':
      if (content.length > 0) return 'content-filter';
      throw modelError('MODEL_CONTENT_FILTERED', {
        message: `${id} withheld its answer (${raw ?? 'content filter'}). Rephrase the request.`,
      });
    case 'interrupted':
      throw streamBroken(id);
    case 'error':
      throw modelError('MODEL_FAILED', {
        message: `${id} ended its answer with an error (${raw ?? 'which it does not name'}). Try again.`,
        transient: true,
      });
    default:
      if (content.length === 0 && raw !== undefined && refusedCall.test(raw)) {
        throw modelError('MODEL_FAILED', {
          message: `${id} gave no answer, because its provider refused how it called tools (${raw}). Try again.`,
          transient: true,
        });
      }
      return 'other';
  }
}

/** Returns the error for a stream that ended before the response was complete. */
export function streamBroken(id: string, cause?: unknown): Error {
  return modelError('MODEL_STREAM_BROKEN', {
    message: `The answer of ${id} broke off before its end. No tool was executed; try again.`,
    cause,
  });
}

/** Converts token counts; undefined if the provider reported none. */
function toUsage(usage: GenerateResult['usage'] | undefined): Usage | undefined {
  const { inputTokens = {}, outputTokens = {} } = (usage ?? {}) as {
    readonly inputTokens?: Partial<GenerateResult['usage']['inputTokens']>;
    readonly outputTokens?: Partial<GenerateResult['usage']['outputTokens']>;
  };
  const cacheRead = count(inputTokens.cacheRead);
  const cacheWrite = count(inputTokens.cacheWrite);
  const reasoning = count(outputTokens.reasoning);
  const cached = (cacheRead ?? 0) + (cacheWrite ?? 0);
  const given = [inputTokens.total, inputTokens.noCache, outputTokens.total, outputTokens.text].map(count);
  if (given.every((each) => each === undefined)) return undefined;
  const [inputTotal, noCache, outputTotal, text] = given;
  const input = Math.max(inputTotal ?? (noCache ?? 0) + cached, cached);
  const output = Math.max(outputTotal ?? (text ?? 0) + (reasoning ?? 0), reasoning ?? 0);
  return {
    input,
    output,
    total: input + output,
    ...(cacheRead === undefined ? {} : { cacheRead }),
    ...(cacheWrite === undefined ? {} : { cacheWrite }),
    ...(reasoning === undefined ? {} : { reasoning }),
  };
}

function count(tokens: unknown): number | undefined {
  return typeof tokens === 'number' && Number.isFinite(tokens) && tokens >= 0
    ? Math.round(tokens)
    : undefined;
}

function responseMetadata(
  { response, warnings, others, finishReason }: Answer,
  provider: JsonObject | undefined,
): JsonObject {
  const { id, modelId, headers } = response ?? {};
  const serviceTier = serviceTierIn(provider);
  const rateLimits = rateLimitsIn(headers, Date.now());
  return {
    ...(typeof id === 'string' ? { id } : {}),
    ...(typeof modelId === 'string' ? { model: modelId } : {}),
    ...(serviceTier === undefined ? {} : { serviceTier }),
    ...(rateLimits === undefined ? {} : { rateLimits }),
    ...(typeof finishReason.raw === 'string' ? { finish: finishReason.raw } : {}),
    ...(provider === undefined ? {} : { provider }),
    ...(warnings.length > 0 ? { warnings } : {}),
    ...(others.length > 0 ? { parts: others } : {}),
  };
}
