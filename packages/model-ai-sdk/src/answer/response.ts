import type { AssistantPart, JsonObject, JsonValue } from '@shallot/core';
import { modelError, type FinishReason, type ModelResponse, type Usage } from '@shallot/core/model';

import type { GenerateResult } from '../sdk/language-model.ts';
import { isJsonObject, keptMetadata, originKey, toJson } from '../sdk/metadata.ts';

/** What an answer is put together from, in both modes. */
export interface Answer {
  readonly content: readonly AssistantPart[];
  readonly finishReason: GenerateResult['finishReason'];
  readonly usage: GenerateResult['usage'] | undefined;
  readonly response: { readonly id?: string | undefined; readonly modelId?: string | undefined } | undefined;
  readonly warnings: readonly string[];
  readonly providerMetadata: unknown;
  /** What has no place in messages. */
  readonly others: readonly JsonValue[];
}

/** @throws `MODEL_FAILED`, `MODEL_CONTENT_FILTERED` for an answer that is none */
export function toResponse(
  model: { readonly id: string; readonly provider: string },
  answer: Answer,
): ModelResponse {
  const { content } = answer;
  const finish = finishOf(model.id, answer);
  const usage = toUsage(answer.usage);
  return {
    message: { role: 'assistant', content, metadata: { [originKey]: { provider: model.provider } } },
    finish,
    ...(usage === undefined ? {} : { usage }),
    metadata: responseMetadata(answer),
  };
}

function finishOf(id: string, { content, finishReason }: Answer): FinishReason {
  const { unified, raw } = finishReason;
  const hasCalls = content.some((part) => part.type === 'tool-call');
  switch (unified) {
    case 'stop':
    case 'tool-calls':
      if (raw === 'pause_turn' && !hasCalls) return 'paused';
      // Some servers say "stop" also after calls.
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
      return 'other';
  }
}

/** The error of a stream that ended without saying that the answer is complete. */
export function streamBroken(id: string, cause?: unknown): Error {
  return modelError('MODEL_STREAM_BROKEN', {
    message: `The answer of ${id} broke off before its end. No tool was executed; try again.`,
    cause,
  });
}

/** Numbers of tokens; undefined where the provider gave none. */
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

function responseMetadata({
  response,
  warnings,
  providerMetadata,
  others,
  finishReason,
}: Answer): JsonObject {
  const { id, modelId } = response ?? {};
  const provider = keptMetadata(toJson(providerMetadata));
  return {
    ...(typeof id === 'string' ? { id } : {}),
    ...(typeof modelId === 'string' ? { model: modelId } : {}),
    ...(typeof finishReason.raw === 'string' ? { finish: finishReason.raw } : {}),
    ...(isJsonObject(provider) ? { provider } : {}),
    ...(warnings.length > 0 ? { warnings } : {}),
    ...(others.length > 0 ? { parts: others } : {}),
  };
}
