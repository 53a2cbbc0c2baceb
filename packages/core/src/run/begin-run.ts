import { ShallotError } from '../base/errors.ts';
import { isPromise } from '../base/is-promise.ts';
import { randomId } from '../base/node-crypto.ts';
import type { RunOptions } from '../contract/agent-options.ts';
import type { Input, Message } from '../contract/messages.ts';
import type { SessionAbout, StateRecord } from '../contract/store.ts';
import type { MutableDraft } from '../sessions/content/join-drafts.ts';
import type { KnownSession } from '../sessions/content/known-session.ts';
import { openInterrupts } from '../sessions/content/open-interrupts.ts';
import { LiveSession } from '../sessions/live/live-session.ts';
import { checkOwner, notesOf, refuseChild } from '../sessions/stores/for-owner.ts';
import { isAnonymous } from '../sessions/stores/forgetful-store.ts';
import { childrenIn, messagesOfAbandoned } from './abandon-run.ts';
import { ActiveRun, type RunSetup } from './active-run.ts';
import type { AgentParts } from './agent-parts.ts';
import type { ChildRuns, ParentRun } from './child-terms.ts';
import { closeLeft } from './children/close-left.ts';
import { keepEntries, passNewInput, type KeptEntries } from './input/pass-input.ts';
import { takeInput } from './loop.ts';
import { modelTermsOf } from './model/model-terms.ts';
import type { Signs } from './parts/signs.ts';
import type { RunParts } from './run-parts.ts';
import type { RunSeat } from './run-seat.ts';
import { RunView } from './run-view.ts';
import { withSession } from './with-session.ts';

/** The caller's side of a run: the event listener, and the seat that reserves the session. */
export interface RunCaller {
  readonly listener: Signs['listener'];
  readonly seat: RunSeat;
  /** Executes the children of the run. */
  readonly children: ChildRuns;
  /** Set for a child. */
  readonly parent?: ParentRun;
}

/**
 * Claims the session for a new run. Returns a promise only if the store is asynchronous. @throws `STORE_CONFLICT`,
 * `SESSION_INTERRUPTED`, `SESSION_NOT_FOUND`, `SESSION_UNFINISHED`, `SESSION_OF_ANOTHER`, `SESSION_IS_CHILD`,
 * `STATE_VERSION`, and the errors of `passInput`
 */
export function beginRun(
  parts: AgentParts,
  sessionId: string,
  input: Input,
  options: RunOptions,
  caller: RunCaller,
): ActiveRun | Promise<ActiveRun> {
  const run: NewRun = { id: randomId('run'), sessionId, options, caller };
  if (parts.onion.chains.inputs.length === 0) return enterSession(parts, run, { messages: input });
  return passThen(parts, run, input, enterSession);
}

/** Claims the session of a child for a new run. Only the run around it knows this session. */
export function beginChildRun(
  parts: AgentParts,
  { sessionId, known }: Found,
  input: Input,
  options: RunOptions,
  caller: RunCaller,
): ActiveRun | Promise<ActiveRun> {
  const run: NewRun = { id: randomId('run'), sessionId, options, caller };
  if (parts.onion.chains.inputs.length === 0) return claimSession(parts, run, { messages: input }, known);
  return passThen(parts, run, input, (_parts, _run, taken) => claimSession(parts, run, taken, known));
}

/** Passes an input through the taps on the input, and calls `begin` with the result. */
function passThen(
  parts: AgentParts,
  run: NewRun,
  input: Input,
  begin: typeof enterSession,
): ActiveRun | Promise<ActiveRun> {
  const { caller, id, sessionId, options } = run;
  const { context } = options;
  const passed = passNewInput(parts, id, input, { context, sessionId, signal: caller.seat.signal });
  return isPromise(passed) ? passed.then((taken) => begin(parts, run, taken)) : begin(parts, run, passed);
}

/** A session id, with the loaded session if the store has one. */
export interface Found {
  readonly sessionId: string;
  readonly known: KnownSession | undefined;
}

/** A run as its caller asks for it. */
interface NewRun {
  readonly id: string;
  readonly sessionId: string;
  readonly options: RunOptions;
  readonly caller: RunCaller;
}

/** The input of a new run, after the taps on the input. */
interface TakenInput {
  readonly messages: Input;
  readonly kept?: KeptEntries;
}

function enterSession(parts: AgentParts, run: NewRun, input: TakenInput): ActiveRun | Promise<ActiveRun> {
  // A session id that was generated for this run cannot be in the store yet.
  if (run.options.sessionId === undefined) return claimSession(parts, run, input, undefined);
  const begin = (known: KnownSession | undefined): ActiveRun | Promise<ActiveRun> =>
    claimSession(parts, run, input, known);
  return withSession(parts.store, run.sessionId, begin, parts.sessionCache);
}

function claimSession(
  parts: AgentParts,
  { id, sessionId, options, caller }: NewRun,
  { messages, kept }: TakenInput,
  known: KnownSession | undefined,
): ActiveRun | Promise<ActiveRun> {
  const { children, listener, parent } = caller;
  if (known !== undefined) checkKnown(known, options, parent);
  else if (options.sessionId !== undefined) refuseForgotten(sessionId);
  const { settings, toolChoice, output } = options;
  const isPlain = (settings ?? toolChoice ?? output) === undefined;
  const model = isPlain ? parts.modelTerms : modelTermsOf(parts, options);
  const session = new LiveSession(parts.store, sessionId, known, parent?.session);
  // Upgrades before the run starts: in an `afterAgent` hook, a failed upgrade could no longer fail the run.
  if (known !== undefined) upgradeStates(parts, session, {});
  const chains = parts.onion.chains;
  const run = new ActiveRun(
    { id, parts, chains, context: options.context, model, parent },
    { session, listener, viewFor, resumption: undefined, runs: children },
  );
  if (kept !== undefined) keepEntries(session, kept, run.plugins.root);
  const input = run.record.toMessages(messages);
  const left = known === undefined ? [] : messagesOfAbandoned(session, run.record.newMessageId);
  let taken: readonly Message[] = [];
  // Without `beforeAgent` taps the input is committed together with the claim.
  if (chains.beforeAgent.isIdle) taken = takeInput(run, input);
  else run.record.progress.begin(input);
  const change: MutableDraft = { append: [...left, ...taken], run: run.record.toRecord() };
  if (known !== undefined) Object.assign(change, session.clearedJournal());
  const { owner, title, cwd, modelName, parent: begunBy } = options;
  if ((parent ?? owner ?? title ?? cwd ?? modelName ?? begunBy) !== undefined)
    Object.assign(change, notesFor(known, options, parent));
  const claimed = session.claim(id, parts.claimMs, change);
  const closed = known === undefined ? claimed : closeLeftBehind(run, claimed);
  return closed === undefined ? run : closed.then(() => run);
}

/** Closes the children that the session's previous run left behind, once this run has claimed the session. */
function closeLeftBehind(run: RunParts, claimed?: Promise<void>): Promise<void> | undefined {
  const { lastRun } = run.record.session;
  const left = lastRun === undefined ? [] : childrenIn(lastRun);
  if (left.length === 0) return claimed;
  return Promise.resolve(claimed).then(() => closeLeft(left, run.terms.parts.store, run.signs));
}

/** @throws `SESSION_OF_ANOTHER`, `SESSION_IS_CHILD`, `SESSION_INTERRUPTED`, `SESSION_UNFINISHED` */
function checkKnown(known: KnownSession, options: RunOptions, parent: ParentRun | undefined): void {
  const session = { id: known.id, about: known.content.about };
  checkOwner(session, options);
  if (parent === undefined) refuseChild(session);
  if (options.abandon !== true) refuseUnfinished(known);
}

function notesFor(
  known: KnownSession | undefined,
  options: RunOptions,
  parent: ParentRun | undefined,
): Pick<MutableDraft, 'about'> {
  if (parent !== undefined) return { about: notesOfChild(parent) };
  const about = notesOf(known && { id: known.id, about: known.content.about }, options);
  return about === undefined ? {} : { about };
}

function notesOfChild({ call, rootId, session }: ParentRun): SessionAbout {
  const owner = session.about?.owner;
  return Object.freeze({ ...(owner === undefined ? {} : { owner }), parent: call.sessionId, root: rootId });
}

export const viewFor: RunSetup['viewFor'] = (run, owner, held) => new RunView(run, owner, held);

/**
 * Rejects the generated id of an earlier run, whose session was not kept: starting an empty session instead would hide
 * the mistake. @throws `SESSION_NOT_FOUND`
 */
export function refuseForgotten(sessionId: string): void {
  if (!isAnonymous(sessionId)) return;
  throw new ShallotError('SESSION_NOT_FOUND', {
    message: `Session "${sessionId}" was forgotten when its run ended, as that run named no session. To go on from a run, give it a session: run(input, { sessionId: 'name' }).`,
  });
}

export function refuseUnfinished(known: KnownSession): void {
  const { run } = known.content;
  if (run === undefined) return;
  const remedy = 'Resume it, or run with abandon: true to abandon it';
  if (run.status === 'interrupted') {
    const ids = openInterrupts(run)
      .map(({ id }) => id)
      .join(', ');
    const what = ids === '' ? 'has its answers, but was not resumed' : `is waiting for answers to ${ids}`;
    throw new ShallotError('SESSION_INTERRUPTED', {
      message: `Session "${known.id}" ${what}. ${remedy}.`,
    });
  }
  if (run.status === 'running') {
    throw new ShallotError('SESSION_UNFINISHED', {
      message: `The last run of session "${known.id}" has not ended: it is at step ${run.step}, and nobody is at work on it. ${remedy}.`,
    });
  }
}

/**
 * Upgrades stored state to the versions that the plugins declare. Writes session state to `session`, and returns the
 * state of the run. @throws `STATE_VERSION`
 */
export function upgradeStates(parts: AgentParts, session: LiveSession, ofRun: StateRecord): StateRecord {
  const state: Record<string, StateRecord[string]> = { ...ofRun };
  for (const { owner, key, scope, upgrade } of parts.host.states) {
    const entry = scope === 'run' ? ofRun[owner.id]?.[key] : session.stateEntry(owner.id, key);
    if (entry === undefined) continue;
    const upgraded = upgrade(entry, session.plugins[owner.id]?.version);
    if (upgraded === entry) continue;
    if (scope === 'run') state[owner.id] = { ...state[owner.id], [key]: upgraded };
    else session.setState(owner.id, key, upgraded);
  }
  return state;
}
