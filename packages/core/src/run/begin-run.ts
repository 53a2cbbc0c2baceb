import { ShallotError } from '../base/errors.ts';
import { isPromise } from '../base/is-promise.ts';
import { frozenCopy, type JsonObject } from '../base/json.ts';
import { randomId } from '../base/node-crypto.ts';
import type { ResumeOptions, RunOptions } from '../contract/agent-options.ts';
import type { AgentEvent } from '../contract/events.ts';
import type { Answers } from '../contract/interrupt.ts';
import type { Input } from '../contract/messages.ts';
import { coreNames, versioned } from '../contract/plugin-names.ts';
import type { RunRecord } from '../contract/store.ts';
import type { KnownSession } from '../sessions/content/known-session.ts';
import { openInterrupts } from '../sessions/content/open-interrupts.ts';
import { LiveSession } from '../sessions/live/live-session.ts';
import { mergeAnswers } from '../sessions/questions/merge-answers.ts';
import { checkOwner, notesOf } from '../sessions/stores/for-owner.ts';
import { isAnonymous } from '../sessions/stores/forgetful-store.ts';
import { isResumable } from '../sessions/stores/resumable.ts';
import { messagesOfAbandoned, nothingToResume } from './abandon-run.ts';
import { ActiveRun, type RunSetup } from './active-run.ts';
import type { AgentParts } from './agent-parts.ts';
import { passAnswers, type PassedAnswers } from './input/pass-answers.ts';
import {
  keepEntries,
  passInput,
  passNewInput,
  type InputTerms,
  type KeptEntries,
} from './input/pass-input.ts';
import { takeInput } from './loop.ts';
import { requireModel } from './model/model-registry.ts';
import { outputOf } from './model/output.ts';
import { withoutDeath } from './parts/attempts.ts';
import { refuseForWorkers } from './refuse-for-workers.ts';
import { refuseForeign } from './refuse-foreign.ts';
import type { RunSeat } from './run-seat.ts';
import type { ModelTerms } from './run-terms.ts';
import { RunView } from './run-view.ts';
import { requireTools } from './tools/required-tools.ts';
import { withSession } from './with-session.ts';

type Listener = (event: AgentEvent) => void | Promise<void>;

/** The caller's side of a run: the event listener, and the seat that reserves the session. */
export interface RunCaller {
  readonly listener: Listener | undefined;
  readonly seat: RunSeat;
}

/**
 * Claims the session for a new run. Returns a promise only if the store is asynchronous. @throws `STORE_CONFLICT`,
 * `SESSION_INTERRUPTED`, `SESSION_NOT_FOUND`, `SESSION_UNFINISHED`, `STATE_VERSION`
 */
export function beginRun(
  parts: AgentParts,
  sessionId: string,
  input: Input,
  options: RunOptions,
  { listener, seat }: RunCaller,
): ActiveRun | Promise<ActiveRun> {
  const id = randomId('run');
  const take = ({ messages, kept }: TakenInput): ActiveRun | Promise<ActiveRun> => {
    const begin = (known: KnownSession | undefined): ActiveRun | Promise<ActiveRun> =>
      beginWith(parts, { sessionId, known }, { id, messages, kept }, options, listener);
    // A session id that was generated for this run cannot be in the store yet.
    if (options.sessionId === undefined) return begin(undefined);
    return withSession(parts.store, sessionId, begin, parts.sessionCache);
  };
  if (parts.host.chains.inputs.length === 0) return take({ messages: input, kept: undefined });
  const { context } = options;
  const passed = passNewInput(parts, id, input, { context, signal: seat.signal });
  return isPromise(passed) ? passed.then(take) : take(passed);
}

const viewFor: RunSetup['viewFor'] = (run, owner) => new RunView(run, owner);

/** A session id, with the loaded session if the store has one. */
interface Found {
  readonly sessionId: string;
  readonly known: KnownSession | undefined;
}

/** The input of a new run, after the taps on the input. */
interface TakenInput {
  readonly messages: Input;
  readonly kept: KeptEntries | undefined;
}

function beginWith(
  parts: AgentParts,
  { sessionId, known }: Found,
  { id, messages, kept }: TakenInput & { readonly id: string },
  options: RunOptions,
  listener: Listener | undefined,
): ActiveRun | Promise<ActiveRun> {
  if (known === undefined && options.sessionId !== undefined) refuseForgotten(sessionId);
  const output = options.output === undefined ? undefined : outputOf(options.output);
  if (known !== undefined) {
    checkOwner({ id: sessionId, about: known.content.about }, options);
    if (options.abandon !== true) refuseUnfinished(known);
  }
  const live = new LiveSession(parts.store, sessionId, known);
  // Upgrade before the run starts: in an `afterAgent` hook, a failed upgrade could no longer fail the run.
  if (known !== undefined)
    upgradeStates(parts, live, { state: {}, plugins: known.content.run?.plugins ?? {} });
  const { context } = options;
  const model = { ...settingsOf(parts, options), output };
  const run = new ActiveRun(
    { id, parts, chains: parts.host.chains, context, resumed: false, model },
    { session: live, listener, viewFor, resumption: undefined },
  );
  if (kept !== undefined) keepEntries(live, kept);
  run.record.progress.begin(run.record.toMessages(messages));
  const left = live.lastRun === undefined ? [] : messagesOfAbandoned(live, run.record.newMessageId);
  // Without `beforeAgent` taps the input is committed together with the claim.
  const taken = run.terms.chains.beforeAgent.isIdle ? takeInput(run) : [];
  const append = left.length === 0 ? taken : [...left, ...taken];
  const about = notesOf(known && { id: sessionId, about: known.content.about }, options);
  const change = {
    append,
    ...live.clearedJournal(),
    run: run.record.toRecord(),
    ...(about === undefined ? {} : { about }),
  };
  const claimed = live.claim(run.terms.id, parts.claimMs, change);
  return claimed === undefined ? run : claimed.then(() => run);
}

/** The options of a run that a worker resumes for a caller in another process. */
export interface WorkerTerms {
  /** The pause after an attempt that did not advance the run, in milliseconds. */
  readonly pauseMs: number;
  /** Takes the run as it was read, before anything can refuse it. Returns false if it has to wait for another one. */
  admits(sessionId: string, read: { readonly revision: number; readonly run: RunRecord }): boolean;
  /** Returns true if the last attempt failed for a reason that the run is not to blame for: it does not count. */
  isForgiven(sessionId: string): boolean;
  /** Leaves runs that another version of the agent began. */
  readonly isSameVersionOnly: boolean;
  /** Returns the context of the run, made from the submitted metadata. */
  contextOf(sessionId: string, metadata: JsonObject): unknown;
  /** Returns the listener for the events of the run. */
  listenerOf(sessionId: string, submitted: RunRecord['submitted']): Listener | undefined;
}

/** Claims the session to resume its unfinished run. All checks happen before the claim. */
export function resumeRun(
  parts: AgentParts,
  sessionId: string,
  answers: Answers,
  options: ResumeOptions,
  { listener, seat }: RunCaller,
  worker?: WorkerTerms,
): ActiveRun | Promise<ActiveRun> {
  const begin = (known: KnownSession | undefined): Promise<ActiveRun> =>
    resumeWith(parts, { sessionId, known }, answers, options, { listener, seat }, worker);
  return withSession(parts.store, sessionId, begin, parts.sessionCache);
}

async function resumeWith(
  parts: AgentParts,
  { sessionId, known }: Found,
  answers: Answers,
  options: ResumeOptions,
  { listener, seat }: RunCaller,
  worker: WorkerTerms | undefined,
): Promise<ActiveRun> {
  if (known === undefined) {
    refuseForgotten(sessionId);
    throw new ShallotError('SESSION_NOT_FOUND', { message: `There is no session "${sessionId}" to resume.` });
  }
  const stored = known.content.run;
  if (stored === undefined || !isResumable(stored)) {
    throw nothingToResume(sessionId, stored);
  }
  const last = worker?.isForgiven(sessionId) === true ? withoutDeath(stored) : stored;
  checkOwner({ id: sessionId, about: known.content.about }, options);
  if (options.takeOver !== true) refuseForeign(parts, sessionId, last, worker?.isSameVersionOnly === true);
  if (worker !== undefined) {
    const isAdmitted = worker.admits(sessionId, { revision: known.revision, run: last });
    refuseForWorkers(parts, sessionId, last, isAdmitted);
  }
  const merged = await mergeAnswers(last, answers, options.by);
  const passed = await passGiven(parts, merged.answers, { context: options.context, signal: seat.signal });
  requirePlugins(parts, last);
  requireTap(parts, last);
  requireModel(parts.models, last);
  const live = new LiveSession(parts.store, sessionId, known);
  requireTools(parts, live, last);
  const state = upgradeStates(parts, live, last);
  // A resume without an output schema reuses the stored one.
  const output = outputOf(options.output) ?? outputOf(last.output?.['schema'] as never);
  const context = await contextOf(worker, sessionId, last, options);
  const resumed = last.submitted?.isNew !== true;
  const model = { ...settingsOf(parts, options, last), output };
  const id = randomId('resume');
  const run = new ActiveRun(
    { id: last.id, parts, chains: parts.host.chains, context, resumed, model },
    {
      session: live,
      listener: worker === undefined ? listener : worker.listenerOf(sessionId, last.submitted),
      viewFor,
      resumption: {
        record: { ...last, state },
        id,
        given: { ...merged, answers: passed.answers },
        pauseMs: worker?.pauseMs,
      },
    },
  );
  keepEntries(live, passed.kept);
  await prepareSubmitted(parts, run, last, seat.signal);
  await live.claim(id, parts.claimMs, { run: run.record.toRecord() });
  return run;
}

/**
 * Passes the answers of a resume through the taps on the input, including answers that were recorded without an agent.
 */
function passGiven(
  parts: AgentParts,
  answers: Answers,
  terms: Pick<InputTerms, 'context' | 'signal'>,
): Promise<PassedAnswers> | PassedAnswers {
  const isFree = parts.host.chains.inputs.length === 0 || Object.keys(answers).length === 0;
  return isFree ? { answers, kept: [] } : passAnswers(parts, answers, terms);
}

/** Passes a submitted input through the taps on the input, which were unknown to the process that submitted it. */
async function prepareSubmitted(
  parts: AgentParts,
  run: ActiveRun,
  { position, submitted }: RunRecord,
  signal: AbortSignal,
): Promise<void> {
  if (position.at !== 'input' || submitted?.isNew !== true || submitted.prepared === true) return;
  if (parts.host.chains.inputs.length === 0) return;
  const { newMessageId } = run.record;
  const { context } = run.terms;
  const terms = { kind: 'input', context, signal, newMessageId } as const;
  const { messages, kept } = await passInput(parts, position.input, terms);
  keepEntries(run.record.session, kept);
  run.record.progress.begin(messages);
}

async function contextOf(
  worker: WorkerTerms | undefined,
  sessionId: string,
  { submitted }: RunRecord,
  options: Pick<RunOptions, 'context'>,
): Promise<unknown> {
  return worker === undefined ? options.context : worker.contextOf(sessionId, submitted?.metadata ?? {});
}

/** Returns the model settings of a run. `toolChoice` is kept apart because it changes from step to step. */
function settingsOf(
  parts: AgentParts,
  own: Pick<RunOptions, 'settings' | 'toolChoice'>,
  before?: Pick<RunRecord, 'submitted' | 'toolChoice'>,
): Omit<ModelTerms, 'output'> {
  const given = { ...before?.submitted?.settings, ...own.settings };
  const { toolChoice = before?.toolChoice?.choice ?? parts.toolChoice, ...settings } = given;
  return {
    settings:
      Object.keys(settings).length === 0 ? parts.settings : frozenCopy({ ...parts.settings, ...settings }),
    toolChoice: own.toolChoice ?? toolChoice,
  };
}

/**
 * Rejects the generated id of an earlier run, whose session was not kept: starting an empty session instead would hide
 * the mistake. @throws `SESSION_NOT_FOUND`
 */
function refuseForgotten(sessionId: string): void {
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
      message: `The last run of session "${known.id}" died at step ${run.step}. ${remedy}.`,
    });
  }
}

/** Checks that every plugin that owns an open question or run state is configured. @throws `PLUGIN_GONE` */
function requirePlugins(parts: AgentParts, run: RunRecord): void {
  // The questions of an ended run need no answer.
  const asking = run.ending === undefined ? run.interrupts.map(({ plugin }) => plugin) : [];
  const owners = [...asking, ...Object.keys(run.state)];
  const missing = owners.find((plugin) => !coreNames.has(plugin) && !parts.host.has(plugin));
  if (missing === undefined) return;
  const known = run.plugins[missing];
  const name = known === undefined ? missing : versioned(known);
  throw new ShallotError('PLUGIN_GONE', {
    message: `The run waits for the plugin "${missing}" (${name}), which is not configured. Configure it again, or abandon the run with abandon: true.`,
    plugin: missing,
  });
}

/** Checks that the tap that asked a question still exists. @throws `PLUGIN_GONE` */
function requireTap({ host }: AgentParts, { position, plugins, interrupts }: RunRecord): void {
  if (position.at !== 'beforeModel' && position.at !== 'afterModel') return;
  const { at: hook, tap } = position;
  if (tap === undefined || host.chains[hook].taps.some(({ key }) => key === tap)) return;
  const [plugin = tap] = tap.split('/');
  const hasAsked = interrupts.some((asked) => asked.call === undefined && asked.plugin === plugin);
  if (hook === 'afterModel' && !hasAsked) return;
  const named = versioned({ name: plugin, version: plugins[plugin]?.version });
  throw new ShallotError('PLUGIN_GONE', {
    message: `The run waits in ${hook} of ${named} (tap ${tap}), which no longer exists. Configure that version again, or abandon the run with abandon: true.`,
    plugin,
    hook,
  });
}

/**
 * Upgrades stored state to the versions that the plugins declare. Writes session state to `session`, and returns the
 * run state. @throws `STATE_VERSION`
 */
function upgradeStates(
  parts: AgentParts,
  session: LiveSession,
  run: Pick<RunRecord, 'state' | 'plugins'>,
): RunRecord['state'] {
  const state: Record<string, RunRecord['state'][string]> = { ...run.state };
  for (const { owner, key, scope, upgrade } of parts.host.states) {
    const entry = scope === 'run' ? run.state[owner.id]?.[key] : session.stateEntry(owner.id, key);
    if (entry === undefined) continue;
    const upgraded = upgrade(entry, run.plugins[owner.id]?.version);
    if (upgraded === entry) continue;
    if (scope === 'run') state[owner.id] = { ...state[owner.id], [key]: upgraded };
    else session.setState(owner.id, key, upgraded);
  }
  return state;
}
