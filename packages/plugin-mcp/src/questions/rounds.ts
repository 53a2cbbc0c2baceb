import { setTimeout as delay } from 'node:timers/promises';

import {
  isInputRequiredResult,
  UrlElicitationRequiredError,
  type Client,
} from '@modelcontextprotocol/client';
import { isShallotError, ShallotError, type JsonValue, type ToolContext } from '@shallot/core';
import { unknownEffect, unknownResultText, type UnknownEffectAnswer } from '@shallot/core/plugin';

import type { Server } from '../servers/server.ts';
import { askOutside } from './ask-outside.ts';
import { askedBy, askedIn, type Asked } from './asked.ts';
import type { ElicitAnswer } from './question.ts';
import { readQuestion } from './read-question.ts';

/** The most rounds of questions in one call. */
const maxRounds = 10;
/** The pause before repeating a request to a server that asked no questions, in milliseconds. */
const pauseMs = 100;

/** The members that a repeated request adds. */
export interface Answers {
  readonly inputResponses?: Readonly<Record<string, ElicitAnswer>>;
  readonly requestState?: string;
}

/** The server, and the call that its questions belong to. */
export interface Asking {
  readonly server: Server;
  /** The request, as the subject of "… failed". */
  readonly doing: string;
  readonly context: ToolContext;
  /** True if the request may be executed twice. */
  readonly isRepeatable: boolean;
}

type Send<T> = (client: Client, answers: Answers) => Promise<T>;

/** The kept part of a request without a result: the server's questions, or the loss of its answer. */
type Kept = Asked | { readonly lost: string };
type Step<T> = { readonly result: T } | { readonly kept: Kept; readonly isNew: boolean };

/** The outcome of all rounds: the server's result, or a person's text for a request whose answer was lost. */
export type Outcome<T> = { readonly result: T } | { readonly told: string };

/**
 * Sends a request, and repeats it with answers to the server's questions until there is a result. Questions are committed
 * before anyone is asked: a resumed call repeats the request with the answers, and never sends the first one again. The
 * loss of an answer is committed, too: only a person may repeat a request that may have been executed. @throws
 * `mcp/TOO_MANY_ROUNDS`, and errors of the request
 */
export async function inRounds<T>(asking: Asking, send: Send<T>): Promise<Outcome<T>> {
  const { server, doing, context } = asking;
  let answers: Answers = {};
  for (let round = 1; round <= maxRounds; round += 1) {
    const sent = answers;
    const step = await keptOrNew(context, `round ${round}`, () => tryRound(asking, sent, send));
    if ('result' in step) return step;
    const { kept, isNew } = step;
    if ('lost' in kept) {
      const answer = await askOfEffect(kept.lost, context);
      if (answer.action === 'result') return { told: unknownResultText(answer) };
      continue;
    }
    if (isNew) warnOfRefused(kept, asking);
    answers = await answersTo(kept, asking);
  }
  throw new ShallotError('mcp/TOO_MANY_ROUNDS', {
    message: `${doing} was stopped: the MCP server ${server.name} asked for something, or lost its answer, ${maxRounds} times.`,
  });
}

async function tryRound<T>(
  { server, doing, context: { signal }, isRepeatable }: Asking,
  answers: Answers,
  send: Send<T>,
): Promise<Step<T>> {
  try {
    return await server.ask(doing, (client) => trySending(client, answers, send), { isRepeatable, signal });
  } catch (error) {
    if (!isShallotError(error, 'mcp/ANSWER_LOST')) throw error;
    return { kept: { lost: error.message }, isNew: true };
  }
}

async function askOfEffect(message: string, { call, interrupt }: ToolContext): Promise<UnknownEffectAnswer> {
  const answer = await interrupt(unknownEffect({ tool: call.name, input: call.input, message }));
  // The schema of the question allows no other answers.
  return answer as unknown as UnknownEffectAnswer;
}

async function trySending<T>(client: Client, answers: Answers, send: Send<T>): Promise<Step<T>> {
  try {
    const result = await send(client, answers);
    return isInputRequiredResult(result) ? { kept: askedIn(result), isNew: true } : { result };
  } catch (error) {
    if (!(error instanceof UrlElicitationRequiredError)) throw error;
    return { kept: askedBy(error), isNew: true };
  }
}

/** Thrown to leave `once` without storing a value, because the core stores results itself. */
class NothingKept extends Error {}

/** Returns the stored outcome of a round, or runs it and stores its outcome unless that is a result. */
async function keptOrNew<T>(
  { once }: ToolContext,
  key: string,
  take: () => Promise<Step<T>>,
): Promise<Step<T>> {
  let taken: Step<T> | undefined;
  try {
    const kept = await once(key, async () => {
      taken = await take();
      if ('kept' in taken) return taken.kept;
      throw new NothingKept();
    });
    return { kept, isNew: taken !== undefined };
  } catch (error) {
    if (error instanceof NothingKept && taken !== undefined) return taken;
    throw error;
  }
}

/** Asks the questions one after another. Returns the members for the repeated request. */
async function answersTo(asked: Asked, asking: Asking): Promise<Answers> {
  const { questions, requestState, isPlain } = asked;
  if (questions.length === 0) await delay(pauseMs, undefined, { signal: asking.context.signal });
  const answered: [string, ElicitAnswer][] = [];
  for (const { key, params } of questions) answered.push([key, await answerTo(params, asking)]);
  if (isPlain === true) return plainAnswers(answered, asking);
  return {
    ...(answered.length === 0 ? {} : { inputResponses: Object.fromEntries(answered) }),
    ...(requestState === undefined ? {} : { requestState }),
  };
}

async function answerTo(params: JsonValue, { server, context }: Asking): Promise<ElicitAnswer> {
  const read = readQuestion(server.name, params);
  return 'question' in read ? askOutside(read.question, context.interrupt) : { action: 'decline' };
}

/** Warns about refused questions; only for new ones, because a resumed call refuses the same questions again. */
function warnOfRefused({ questions }: Asked, { server, context }: Asking): void {
  for (const { params } of questions) {
    const read = readQuestion(server.name, params);
    if ('question' in read) continue;
    const message = `A question of the MCP server ${server.name} was declined: ${read.refused}.`;
    context.run.warn('QUESTION_DECLINED', message);
  }
}

/**
 * Returns the members for an older server: none, because it receives no answers, and the request is repeated after
 * the pages were visited. @throws `mcp/QUESTION_DECLINED`
 */
function plainAnswers(answered: readonly [string, ElicitAnswer][], { server, doing }: Asking): Answers {
  const refusal = answered.find(([, { action }]) => action !== 'accept');
  if (refusal === undefined) return {};
  throw new ShallotError('mcp/QUESTION_DECLINED', {
    message: `${doing} was not repeated: the MCP server ${server.name} needs a page to be visited, and the answer was "${refusal[1].action}".`,
  });
}
