import { setTimeout as delay } from 'node:timers/promises';

import type { Interrupt, Outcome } from '@shallot/core';

import { readEvents } from './read-events.ts';

type Servers = readonly [one: string, other: string];

/** The pause before a retry, in milliseconds. */
const pauseMs = 100;

/** A customer's view of an order. */
export interface Receipt {
  readonly sessionId: string;
  readonly outcome: Outcome;
  /** The ids of the messages, in the order in which they came. */
  readonly messages: readonly string[];
  /** The ids of the questions, in the order in which they were answered. */
  readonly questions: readonly string[];
}

/** Places an order through one of two servers, and follows it. If a server is killed, the other one continues. */
export async function order(servers: Servers, sessionId: string): Promise<Receipt> {
  const turn = new Turn(servers);
  const path = `/sessions/${sessionId}`;
  const messages: string[] = [];
  const questions: string[] = [];
  await submit(turn, path);
  for (;;) {
    const { open, outcome } = await follow(`${turn.server}${path}/events`, messages);
    if (outcome !== undefined && outcome !== 'interrupted')
      return { sessionId, outcome, messages, questions };
    // Questions are answered through the other server. If the connection was lost instead, the other server continues
    // after the last message.
    turn.pass();
    for (const { id } of open) {
      await answer(turn, path, id);
      questions.push(id);
    }
  }
}

/**
 * Follows a run until it ends or asks, and adds its messages to `messages`. Without an outcome and without questions,
 * the connection was lost.
 */
async function follow(
  url: string,
  messages: string[],
): Promise<{ readonly open: readonly Interrupt[]; readonly outcome?: Outcome | undefined }> {
  const open: Interrupt[] = [];
  try {
    for await (const event of readEvents(url, messages.at(-1))) {
      if (event.type === 'message' || event.type === 'tool-end') messages.push(event.message.id);
      if (event.type === 'interrupt') open.push(event.interrupt);
      if (event.type === 'run-end') return { open, outcome: event.outcome };
    }
  } catch {
    await delay(pauseMs);
  }
  return { open: [] };
}

async function submit(turn: Turn, path: string): Promise<void> {
  const body = { input: 'Two jars of honey and four candles, please.' };
  // 409: the server was killed after it had submitted the run, but before it could respond.
  await post(turn, path, body, [202, 409]);
}

async function answer(turn: Turn, path: string, id: string): Promise<void> {
  // 404: the server was killed after it had stored the answer, but before it could respond.
  await post(turn, `${path}/answers`, { [id]: { decision: 'approve' } }, [202, 404]);
}

/** Repeats the request until a server accepts it. */
async function post(turn: Turn, path: string, body: object, accepted: readonly number[]): Promise<void> {
  for (;;) {
    const init = { method: 'POST', body: JSON.stringify(body) };
    const status = await fetch(`${turn.server}${path}`, init).then(
      (response) => response.status,
      () => undefined,
    );
    if (status !== undefined && accepted.includes(status)) return;
    turn.pass();
    await delay(pauseMs);
  }
}

/** Chooses which of two servers is used. */
class Turn {
  #servers: Servers;

  constructor(servers: Servers) {
    this.#servers = servers;
  }

  get server(): string {
    return this.#servers[0];
  }

  pass(): void {
    const [one, other] = this.#servers;
    this.#servers = [other, one];
  }
}
