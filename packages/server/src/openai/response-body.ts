import { approvedCall } from '../chat/questions.ts';
import { isForClient } from '../work/client-tools.ts';
import { itemsOf, type ResponseItem, type ResponsePart } from './response-items.ts';
import type { ResponseNotes } from './response-notes.ts';
import { faultOf } from './run-part.ts';

/** The terms of a response. */
export interface ResponseTerms extends ResponseNotes {
  readonly id: string;
  readonly model: string;
  /** The time of its creation, in seconds since 1970. */
  readonly created: number;
  readonly sessionId: string;
  /** The message whose calls are answered in the request. */
  readonly after: string | undefined;
  readonly previous: string | undefined;
}

/** A response in the form in which clients of OpenAI read it. */
export interface ResponseBody {
  readonly status: 'in_progress' | 'completed' | 'incomplete' | 'failed';
  readonly output: readonly ResponseItem[];
  readonly [field: string]: unknown;
}

const incomplete: Readonly<Record<string, string>> = {
  length: 'max_output_tokens',
  'content-filter': 'content_filter',
};

/**
 * Returns the response for a part of a run, which is in progress while the run has no end. If the run ended without an
 * answer, the response has failed, and names the reason.
 */
export function responseOf(part: ResponsePart, terms: ResponseTerms): ResponseBody {
  const { end } = part;
  const output = itemsOf(part, terms);
  if (end === undefined) return { ...headOf(terms), status: 'in_progress', output };
  const isAsked = (question: ResponsePart['questions'][number]): boolean =>
    isForClient(question) || (terms.label !== undefined && approvedCall(question) !== undefined);
  const fault = faultOf(part, terms.sessionId, isAsked);
  const usage = usageOf(end);
  if (fault !== undefined) {
    const error = { code: fault.code, message: fault.message };
    return { ...headOf(terms), status: 'failed', error, output, usage };
  }
  const reason = end.outcome === 'completed' ? incomplete[end.finish ?? 'stop'] : undefined;
  return reason === undefined
    ? { ...headOf(terms), status: 'completed', output, usage }
    : { ...headOf(terms), status: 'incomplete', incomplete_details: { reason }, output, usage };
}

/** Returns the members of a response that do not depend on its run. */
export function headOf({ id, model, created, previous }: ResponseTerms) {
  return {
    id,
    object: 'response',
    created_at: created,
    model,
    previous_response_id: previous ?? null,
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    parallel_tool_calls: true,
    temperature: null,
    top_p: null,
    tool_choice: 'auto',
    tools: [],
  };
}

function usageOf({ usage }: NonNullable<ResponsePart['end']>): object {
  return {
    input_tokens: usage?.input ?? 0,
    input_tokens_details: { cached_tokens: usage?.cacheRead ?? 0 },
    output_tokens: usage?.output ?? 0,
    output_tokens_details: { reasoning_tokens: usage?.reasoning ?? 0 },
    total_tokens: usage?.total ?? 0,
  };
}
