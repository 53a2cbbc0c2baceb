import type { InputRequiredResult, UrlElicitationRequiredError } from '@modelcontextprotocol/client';
import { ShallotError, type JsonValue } from '@shallot/core';

const maxStateChars = 1_000_000;
const maxQuestions = 20;

/** What a server asked for in place of a result, as it is kept with the call. */
export interface Asked {
  /** By the server's keys, as the server wrote them. */
  readonly questions: readonly { readonly key: string; readonly params: JsonValue }[];
  /** The server's own, byte for byte. */
  readonly requestState?: string;
  /** Asked by the error of an older revision: the request is then repeated as it was. */
  readonly isPlain?: true;
}

/** @throws `mcp/QUESTION_INVALID` for what no client could answer, and for more than is kept */
export function askedIn({ inputRequests = {}, requestState }: InputRequiredResult): Asked {
  if ((requestState?.length ?? 0) > maxStateChars)
    throw invalid(`its requestState is longer than ${maxStateChars} characters`);
  const questions = Object.entries(inputRequests).map(([key, request]) => {
    if (request.method === 'elicitation/create') return { key, params: asJson(request.params) };
    throw invalid(`it asks for "${request.method}", which is not offered`);
  });
  return { questions: few(questions), ...(requestState === undefined ? {} : { requestState }) };
}

/** The pages that an older server wants to be visited before it takes the request. */
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
  // It came out of JSON, and is a copy without what JSON does not know.
  return JSON.parse(JSON.stringify(value ?? null)) as JsonValue;
}

function invalid(what: string): ShallotError {
  return new ShallotError('mcp/QUESTION_INVALID', {
    message: `The server's request for input cannot be met: ${what}.`,
  });
}
