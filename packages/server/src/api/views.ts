import { textOf, type Interrupt, type JsonValue } from '@shallot/core';
import type { ShapeOutput } from '@shallot/core/plugin';
import {
  openInterrupts,
  statusOf,
  type RunRecord,
  type SessionHead,
  type SessionSummary,
  type Store,
} from '@shallot/core/store';

import type { Identity } from '../access/identity.ts';
import { shownId } from '../access/session-ids.ts';
import { isOpen } from '../events/run-feed.ts';
import type { runShape, sessionShape, summaryShape, waitingShape } from '../http/shapes.ts';

/** A run in the form in which clients see it. */
export type RunView = ShapeOutput<typeof runShape>;
/** A session in the form in which clients see it. */
export type SessionView = ShapeOutput<typeof sessionShape>;
/** A session in a listing. */
export type SessionLine = ShapeOutput<typeof summaryShape>;
/** An open question of a session. */
export type WaitingQuestion = ShapeOutput<typeof waitingShape>;

export async function runView(
  store: Store,
  sessionId: string,
  head: SessionHead,
  run: RunRecord,
): Promise<RunView> {
  const answer = await answerOf(store, head.id, run);
  return {
    runId: run.id,
    sessionId,
    status: statusOf(run),
    isOpen: isOpen(run),
    ...(run.stopReason === undefined ? {} : { stopReason: run.stopReason }),
    steps: run.step,
    usage: { ...run.usage },
    startedAt: timeOf(run.startedAt),
    ...(answer === undefined ? {} : { text: answer }),
    interrupts: openInterrupts(run).map(questionView),
    ...(run.failure === undefined
      ? {}
      : { failure: { code: run.failure.code, message: run.failure.message } }),
  };
}

export async function sessionView(store: Store, identity: Identity, head: SessionHead): Promise<SessionView> {
  const notes = sessionNotes(identity, head);
  return head.run === undefined ? notes : { ...notes, run: await runView(store, notes.id, head, head.run) };
}

/** Returns a session in the form in which clients see it, without its run. */
export function sessionNotes(identity: Identity, head: SessionHead): Omit<SessionView, 'run'> {
  return {
    id: shownId(identity, head.id),
    ...notesOf(head),
    createdAt: timeOf(head.createdAt),
    updatedAt: timeOf(head.updatedAt),
  };
}

export function sessionLine(identity: Identity, summary: SessionSummary): SessionLine {
  const { id, status, agent, messages, interrupts, createdAt, updatedAt } = summary;
  return {
    id: shownId(identity, id),
    ...notesOf(summary),
    ...(status === undefined ? {} : { status }),
    ...(agent === undefined ? {} : { agent: agent.id }),
    messages,
    interrupts,
    createdAt: timeOf(createdAt),
    updatedAt: timeOf(updatedAt),
  };
}

export function questionView({
  id,
  kind,
  plugin,
  payload,
  answerSchema,
  createdAt,
  call,
}: Interrupt): Omit<WaitingQuestion, 'sessionId'> {
  return {
    id,
    kind,
    plugin,
    payload: payload satisfies JsonValue,
    answerSchema: { ...answerSchema },
    createdAt,
    ...(call === undefined ? {} : { call: { ...call } }),
  };
}

function notesOf({ about }: Pick<SessionHead, 'about'>): Pick<SessionView, 'title' | 'owner'> {
  const { title, owner } = about ?? {};
  return { ...(title === undefined ? {} : { title }), ...(owner === undefined ? {} : { owner }) };
}

/** Returns the text of the answer; undefined if the record names no answer. */
async function answerOf(store: Store, sessionId: string, run: RunRecord): Promise<string | undefined> {
  const { status, position } = run;
  if (status !== 'completed' || position.at !== 'end' || position.message === undefined) return undefined;
  const id = position.message;
  const found = await store.messagesFrom?.(sessionId, id);
  const messages = found?.messages ?? (await store.load(sessionId))?.messages ?? [];
  const message = messages.find((each) => each.id === id);
  return message && textOf(message);
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}
