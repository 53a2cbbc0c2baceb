import type { CallToolResult } from '@modelcontextprotocol/server';
import { isShallotError, type Interrupt, type JsonValue } from '@shallot/core';

import { parseJson } from './parse-json.ts';
import { formOf } from './question-form.ts';
import type { ServedRun } from './server-client.ts';

type Content = CallToolResult['content'][number];

/** The key of the session's id in the metadata of results, so that programs need not find it in the text. */
export const sessionKey = 'dev.shallot/session';
const codeKey = 'dev.shallot/code';

/**
 * Returns the answer of a run, with the session for the next question; a failure if the answer lacks the output that it
 * must have.
 */
export function answerResult(run: ServedRun, hasOutput: boolean): CallToolResult {
  const { text = '', stopReason, sessionId } = run;
  const isWhole = stopReason === undefined || wholeAnswers.has(stopReason);
  const output = hasOutput && isWhole ? jsonIn(text) : undefined;
  if (hasOutput && output === undefined)
    return failure(
      `The run ended without an output (${stopReason ?? 'no answer'}): ${text}`,
      undefined,
      sessionId,
    );
  const cut = isWhole ? [] : [textContent(`The answer is not complete: ${stopReason}.`)];
  return {
    content: [textContent(text), ...cut, sessionNote(sessionId)],
    ...(output !== undefined && { structuredContent: output }),
    _meta: { [sessionKey]: sessionId },
  };
}

const wholeAnswers: ReadonlySet<string> = new Set(['answer', 'ended', 'return-directly']);

/** Returns the state of a run that gave no answer. */
export function unansweredResult({ status, failure: cause, sessionId }: ServedRun): CallToolResult {
  if (cause !== undefined) return failure(`${cause.code}: ${cause.message}`, cause.code, sessionId);
  const state =
    status === 'running' ? 'still runs; ask again with this session for its answer' : `was ${status}`;
  return failure(`The run ${state}.`, status === 'aborted' ? 'RUN_ABORTED' : undefined, sessionId);
}

/** Returns the questions of a run as text, for a client that cannot ask its user, or whose user gave no answer. */
export function questionsResult(
  { interrupts, sessionId }: ServedRun,
  { isInputTaken }: { readonly isInputTaken: boolean },
): CallToolResult {
  const questions = interrupts.map((question) => textContent(describeQuestion(question)));
  const next = `The run waits, and a person has to answer. Then call the tool again with the session ${sessionId}.`;
  const notTaken = isInputTaken ? [] : [textContent('The question of this call was not passed on.')];
  return {
    content: [...questions, textContent(next), ...notTaken],
    isError: true,
    _meta: { [sessionKey]: sessionId, [codeKey]: 'SESSION_INTERRUPTED' },
  };
}

function describeQuestion(question: Interrupt): string {
  const { message } = formOf(question);
  const command = `shallot answer ${question.id} '<json>'`;
  return `${message}\n\nTo answer in a terminal: ${command}, with JSON that matches ${JSON.stringify(question.answerSchema)}`;
}

/** Returns an error of Shallot as the result of a tool. @throws any other error */
export function errorResult(error: unknown): CallToolResult {
  if (isShallotError(error)) return failure(`${error.code}: ${error.message}`, error.code);
  throw error;
}

function failure(text: string, code: string | undefined, sessionId?: string): CallToolResult {
  return {
    content: [textContent(text), ...(sessionId === undefined ? [] : [sessionNote(sessionId)])],
    isError: true,
    _meta: {
      ...(sessionId !== undefined && { [sessionKey]: sessionId }),
      ...(code !== undefined && { [codeKey]: code }),
    },
  };
}

function sessionNote(sessionId: string): Content {
  return textContent(`(To go on in this conversation, pass the session ${sessionId}.)`);
}

function textContent(text: string): Content {
  return { type: 'text', text };
}

/** Returns the JSON of an answer, without a Markdown fence around it; undefined for other text. */
function jsonIn(text: string): JsonValue | undefined {
  const bare = /^\s*```(?:json)?\s*\n([\s\S]*?)\n\s*```\s*$/.exec(text)?.[1] ?? text;
  try {
    return parseJson<JsonValue>(bare);
  } catch {
    // A plugin that ended the run may have given it any text.
    return undefined;
  }
}
