import { isShallotError, type JsonValue } from '@shallot/core';

import type { Following, RunBody, ServedRun, ServerClient } from './server-client.ts';

/** Replies of a client to the questions of a session, by their ids: an answer, or undefined to leave a question open. */
export interface Replies {
  readonly sessionId: string;
  readonly answers: (run: ServedRun) => ReadonlyMap<string, JsonValue | undefined>;
}

/** A turn of a client in a session. */
export interface ClientTurn {
  readonly client: ServerClient;
  readonly body: RunBody;
  /** The id of the session. Default: a new session with the id that `newId` returns. */
  readonly sessionId: string | undefined;
  readonly newId: () => string;
  /** The replies to questions that were asked before; the input was taken then. */
  readonly replies: Replies | undefined;
  readonly following: Following;
}

/** The state of a session after a turn. */
export interface TurnEnd {
  readonly run: ServedRun;
  /** False if the session waited for answers, so that the input was not sent. */
  readonly isInputTaken: boolean;
  /** The reasons why answers were refused, by the ids of their questions. */
  readonly faults: ReadonlyMap<string, string>;
  /** True if a question was left open by the client. */
  readonly isLeftOpen: boolean;
}

/** The most attempts in a session in which others begin runs at the same time. */
const maxAttempts = 3;

/** Takes a turn in a session: answers its questions, or sends an input. Resolves when its run has ended, or asks. */
export async function converse(turn: ClientTurn, attempts = maxAttempts): Promise<TurnEnd> {
  if (turn.replies !== undefined) return answered(turn, turn.replies);
  const { client, body, sessionId, following } = turn;
  if (sessionId === undefined) {
    const id = turn.newId();
    await client.create(id, body, following);
    return endOf(client, id);
  }
  const { run } = await client.session(sessionId);
  if (run !== undefined && !run.isOpen && run.interrupts.length > 0) {
    return { run, isInputTaken: false, faults: new Map(), isLeftOpen: false };
  }
  if (run?.isOpen === true && (await isSent(turn, sessionId))) {
    await client.follow(sessionId, following);
    return endOf(client, sessionId);
  }
  try {
    await client.run(sessionId, body, following);
  } catch (error) {
    // Another call was first: its run gets the input.
    if (attempts > 1 && isBegunElsewhere(error)) return converse(turn, attempts - 1);
    throw error;
  }
  return endOf(client, sessionId);
}

function isBegunElsewhere(error: unknown): boolean {
  return isShallotError(error, 'STORE_CONFLICT') || isShallotError(error, 'SESSION_UNFINISHED');
}

/** Sends the input to the run in progress. Resolves to false if it has ended meanwhile. */
async function isSent({ client, body }: ClientTurn, sessionId: string): Promise<boolean> {
  try {
    await client.send(sessionId, body.input);
    return true;
  } catch (error) {
    if (isShallotError(error, 'SESSION_NOT_RUNNING')) return false;
    throw error;
  }
}

async function answered(
  { client, following }: ClientTurn,
  { sessionId, answers }: Replies,
): Promise<TurnEnd> {
  const { run } = await client.session(sessionId);
  const faults = new Map<string, string>();
  let isLeftOpen = false;
  for (const [id, answer] of run === undefined ? [] : answers(run)) {
    if (answer === undefined) {
      isLeftOpen = true;
      continue;
    }
    try {
      await client.answer(sessionId, id, answer);
    } catch (error) {
      if (isShallotError(error, 'INTERRUPT_ANSWER')) faults.set(id, error.message);
      // Somebody else has answered it meanwhile.
      else if (!isShallotError(error, 'INTERRUPT_UNKNOWN')) throw error;
    }
  }
  if (faults.size === 0 && !isLeftOpen) await client.follow(sessionId, following);
  return { ...(await endOf(client, sessionId)), faults, isLeftOpen };
}

async function endOf(client: ServerClient, sessionId: string): Promise<TurnEnd> {
  const { run } = await client.session(sessionId);
  return { run: runOf(run, sessionId), isInputTaken: true, faults: new Map(), isLeftOpen: false };
}

function runOf(run: ServedRun | undefined, sessionId: string): ServedRun {
  if (run !== undefined) return run;
  throw new TypeError(`The session ${sessionId} has no run after one was begun.`);
}
