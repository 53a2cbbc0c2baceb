import type { RunEnd, RunPart } from './run-part.ts';
import { sealCall } from './sealed-call.ts';
import { StreamedText } from './streamed-text.ts';

/** The terms of a chat completion. */
export interface Completion {
  readonly id: string;
  readonly model: string;
  /** The time of its creation, in seconds since 1970. */
  readonly created: number;
  readonly sessionId: string;
  /** The message whose calls have their results in the request. */
  readonly after: string | undefined;
  /** True if the content is only the last answer, because it has to match a schema. */
  readonly isWhole: boolean;
}

interface Choice {
  readonly message: {
    readonly role: 'assistant';
    readonly content: string | null;
    readonly refusal: null;
    readonly tool_calls?: readonly {
      readonly id: string;
      readonly type: 'function';
      readonly function: object;
    }[];
  };
  readonly finish_reason: string;
  readonly usage: object;
}

/** Returns the completion for a part of a run that was completed, or that asks the client for results. */
export function completionOf(part: RunPart, terms: Completion): object {
  const { id, model, created } = terms;
  const { usage, ...choice } = choiceOf(part, terms);
  return {
    id,
    object: 'chat.completion',
    created,
    model,
    choices: [{ index: 0, logprobs: null, ...choice }],
    usage,
  };
}

export function choiceOf(part: RunPart, { sessionId, isWhole }: Completion): Choice {
  const text = new StreamedText({ isWhole });
  for (const message of part.messages)
    if (message.role === 'assistant') text.take({ type: 'message', message });
  const calls = part.questions.flatMap(({ call }) => {
    if (call === undefined) return [];
    const { id, name, input } = call;
    const called = { name, arguments: JSON.stringify(input) };
    return [{ id: sealCall(sessionId, id), type: 'function' as const, function: called }];
  });
  const content = calls.length > 0 && (isWhole || text.text === '') ? null : text.text;
  const message = { role: 'assistant' as const, content, refusal: null };
  return {
    message: calls.length === 0 ? message : { ...message, tool_calls: calls },
    finish_reason: finishReason(part.end),
    usage: usageOf(part.end),
  };
}

const finishReasons: Readonly<Record<string, string>> = {
  length: 'length',
  'content-filter': 'content_filter',
};

function finishReason({ outcome, finish = 'stop' }: Partial<RunEnd> = {}): string {
  return outcome === 'interrupted' ? 'tool_calls' : (finishReasons[finish] ?? 'stop');
}

function usageOf({ usage }: Partial<RunEnd> = {}): object {
  return {
    prompt_tokens: usage?.input ?? 0,
    completion_tokens: usage?.output ?? 0,
    total_tokens: usage?.total ?? 0,
    prompt_tokens_details: { cached_tokens: usage?.cacheRead ?? 0 },
    completion_tokens_details: { reasoning_tokens: usage?.reasoning ?? 0 },
  };
}
