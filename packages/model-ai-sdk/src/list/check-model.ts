import { isShallotError, type ShallotError } from '@shallot/core';
import {
  type FinishReason,
  modelError,
  type ProviderModelEntry,
  responseFacts,
  type ResponseFacts,
  type Usage,
} from '@shallot/core/model';

import { resolveModel, type ResolveModelOptions } from '../resolve-model.ts';

/** The outcome of a request that was sent to try a model. */
export interface CheckedModel {
  readonly model: string;
  readonly isUsable: boolean;
  /** The provider's answer, cut at the token limit. */
  readonly text?: string;
  readonly finish?: FinishReason;
  readonly ms?: number;
  readonly usage?: Usage;
  readonly response?: ResponseFacts;
  readonly warnings?: readonly string[];
  readonly error?: ShallotError;
}

/** The smallest limit that every provider accepts: OpenAI rejects lower ones. */
const maxOutputTokens = 16;

/**
 * Sends the smallest request to a model and returns the provider's answer or error; without an answer within `timeoutMs`
 * (default: 60,000), returns an error, too. @throws the reason of the signal
 */
export async function checkModel(
  named: string | ProviderModelEntry,
  {
    signal,
    timeoutMs = 60_000,
    ...where
  }: ResolveModelOptions & { readonly signal?: AbortSignal; readonly timeoutMs?: number },
): Promise<CheckedModel> {
  const id = typeof named === 'string' ? named : `${named.provider}/${named.model}`;
  const time = AbortSignal.timeout(timeoutMs);
  const warnings: string[] = [];
  const startedAt = performance.now();
  try {
    const model = await resolveModel(named, where);
    const { message, finish, usage, metadata } = await model.generate(
      {
        model,
        instructions: '',
        messages: [{ id: 'm1', role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
        settings: { maxOutputTokens },
      },
      {
        signal: signal === undefined ? time : AbortSignal.any([signal, time]),
        wantsChunks: false,
        emit: () => undefined,
        warn: (_code, warning) => void warnings.push(warning),
      },
    );
    const facts = responseFacts(metadata);
    return {
      model: id,
      isUsable: true,
      text: message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(''),
      finish,
      ms: Math.round(performance.now() - startedAt),
      ...(usage === undefined ? {} : { usage }),
      ...(facts === undefined ? {} : { response: facts }),
      ...(warnings.length === 0 ? {} : { warnings }),
    };
  } catch (error) {
    signal?.throwIfAborted();
    if (time.aborted) return { model: id, isUsable: false, error: tooLate(id, timeoutMs) };
    if (!isShallotError(error)) throw error;
    return { model: id, isUsable: false, error };
  }
}

function tooLate(id: string, timeoutMs: number): ShallotError {
  return modelError('MODEL_IDLE', {
    message: `${id} did not answer within ${timeoutMs / 1000} seconds. Try again, or use another model.`,
  });
}
