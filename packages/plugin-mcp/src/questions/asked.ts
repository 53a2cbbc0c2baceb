import type { InputRequiredResult, UrlElicitationRequiredError } from '@modelcontextprotocol/client';
import { ShallotError, type JsonValue } from '@shallot/core';

const maxStateChars = 1_000_000;
const maxQuestions = 20;

/** A server's questions in place of a result, as they are stored with the call. */
export interface Asked {
  /** The questions as the server wrote them, with its keys. */
  readonly questions: readonly { readonly key: string; readonly params: JsonValue }[];
  /** The server's opaque state, returned unchanged. */
  readonly requestState?: string;
  /** True if the questions came from an error of an older revision: the request is then repeated unchanged. */
  readonly isPlain?: true;
}

/** Reads the questions of a result. @throws `mcp/QUESTION_INVALID` for unsupported questions, and beyond the limits */
export function askedIn({ inputRequests = {}, requestState }: InputRequiredResult): Asked {
  if ((requestState?.length ?? 0) > maxStateChars)
    throw invalid(`its requestState is longer than ${maxStateChars} characters`);
  const questions = Object.entries(inputRequests).map(([key, request]) => {
    if (request.method === 'elicitation/create') return { key, params: asJson(request.params) };
    throw invalid(`it asks for "${request.method}", which is not offered`);
  });
  return { questions: few(questions), ...(requestState === undefined ? {} : { requestState }) };
}

/** Reads the pages that an older server requires to be visited first. @throws `mcp/QUESTION_INVALID` beyond the limits */
export function askedBy({ elicitations }: UrlElicitationRequiredError): Asked {
  return {
    questions: few(elicitations.map((params, index) => ({ key: String(index), params: asJson(params) }))),
    isPlain: true,
  };
}

function few<T>(questions: readonly T[]): readonly T[] {
  if (questions.length <= maxQuestions) return questions;
  throw invalid(`it asks ${questions.length} questions at once, of at most ${maxQuestions}`);
}

function asJson(value: unknown): JsonValue {
  // It was parsed from JSON; this copies it without undefined members.
  return JSON.parse(JSON.stringify(value ?? null)) as JsonValue;
}

function invalid(what: string): ShallotError {
  return new ShallotError('mcp/QUESTION_INVALID', {
    message: `The server's request for input cannot be met: ${what}.`,
  });
}
