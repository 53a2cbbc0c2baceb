import { ShallotError } from '../base/errors.ts';
import { frozenCopy, type JsonObject } from '../base/json.ts';
import { randomId } from '../base/node-crypto.ts';
import type { RunOptions } from '../contract/agent-options.ts';
import type { AgentEvent } from '../contract/events.ts';
import type { Answers } from '../contract/interrupt.ts';
import type { Input } from '../contract/messages.ts';
import { coreNames, versioned } from '../contract/plugin-names.ts';
import type { RunRecord } from '../contract/store.ts';
import { isAnonymous } from '../sessions/anonymous.ts';
import { mergeAnswers, openInterrupts } from '../sessions/interrupts.ts';
import type { KnownSession } from '../sessions/known-session.ts';
import { LiveSession } from '../sessions/live-session.ts';
import { isResumable } from '../sessions/resumable.ts';
import { ActiveRun, type RunSetup } from './active-run.ts';
import type { AgentParts } from './agent-parts.ts';
import { leftovers, nothingToResume } from './give-up.ts';
import { isIdle } from './hook-caller.ts';
import { takeInput } from './loop.ts';
import { outputOf } from './model/output.ts';
import { refuseForWorkers } from './refuse-for-workers.ts';
import { requireTools } from './tools/required-tools.ts';
import { withSession } from './with-session.ts';

type Listener = (event: AgentEvent) => void | Promise<void>;

/**
 * Takes the session for a new run; gives a promise only if the store has to be waited for. @throws `STORE_CONFLICT`,
 * `SESSION_INTERRUPTED`, `SESSION_NOT_FOUND`, `SESSION_UNFINISHED`, `STATE_VERSION`
 */
export function beginRun(
  parts: AgentParts,
  sessionId: string,
  input: Input,
  options: RunOptions,
  listener: Listener | undefined,
): ActiveRun | Promise<ActiveRun> {
  const begin = (known: KnownSession | undefined): ActiveRun | Promise<ActiveRun> =>
    beginWith(parts, { sessionId, known }, input, options, listener);
  // One that nobody named is new.
  if (options.sessionId === undefined) return begin(undefined);
  return withSession(parts.store, sessionId, begin);
}

/** A session, with what is known of it when it is there. */
interface Found {
  readonly sessionId: string;
  readonly known: KnownSession | undefined;
}

function beginWith(
  parts: AgentParts,
  { sessionId, known }: Found,
  input: Input,
  options: RunOptions,
  listener: Listener | undefined,
): ActiveRun | Promise<ActiveRun> {
  if (known === undefined && options.sessionId !== undefined) refuseForgotten(sessionId);
  const output = options.output === undefined ? undefined : outputOf(options.output);
  if (options.abandon !== true) refuseUnfinished(known);
  const live = new LiveSession(parts.store, sessionId, known);
  // Now, because a hook that reads its state only at the end could not make the run fail any more.
  upgradeStates(parts, live, { state: {}, plugins: known?.run?.plugins ?? {} });
  const run = new ActiveRun(randomId('run'), {
    parts,
    chains: parts.host.chains,
    session: live,
    context: options.context,
    ...settingsOf(parts, options),
    output,
    listener,
    resume: undefined,
  });
  run.progress.begin(run.toMessages(input));
  const left = live.lastRun === undefined ? [] : leftovers(live, run.newMessageId);
  const { beforeAgent } = run.chains;
  // Without a beforeAgent tap there is nothing to wait for before the input becomes part of the session.
  const taken = isIdle(beforeAgent) ? takeInput(run) : [];
  const append = left.length === 0 ? taken : [...left, ...taken];
  const change = { append, ...live.clearedJournal(), run: run.toRecord() };
  const claimed = live.claim(run.id, parts.claimMs, change);
  return claimed === undefined ? run : claimed.then(() => run);
}

/** How a worker resumes a run, whose caller is in another process. */
export interface WorkerTerms {
  /** The pause after an attempt that brings the run no further, in milliseconds. */
  readonly pauseMs: number;
  /** Makes the context of the run from what was submitted with it. */
  contextOf(sessionId: string, metadata: JsonObject): unknown;
  /** Gets the events of the run. */
  listenerOf(sessionId: string, submitted: RunRecord['submitted']): Listener | undefined;
}

/** Takes the session to go on with its unfinished run. Everything that can be wrong is checked before that. */
export function resumeRun(
  parts: AgentParts,
  sessionId: string,
  answers: Answers,
  options: Omit<RunOptions, 'session' | 'abandon'>,
  listener: Listener | undefined,
  worker?: WorkerTerms,
): ActiveRun | Promise<ActiveRun> {
  return withSession(parts.store, sessionId, (known) =>
    resumeWith(parts, { sessionId, known }, answers, options, listener, worker),
  );
}

async function resumeWith(
  parts: AgentParts,
  { sessionId, known }: Found,
  answers: Answers,
  options: Omit<RunOptions, 'session' | 'abandon'>,
  listener: Listener | undefined,
  worker: WorkerTerms | undefined,
): Promise<ActiveRun> {
  if (known === undefined) {
    refuseForgotten(sessionId);
    throw new ShallotError('SESSION_NOT_FOUND', { message: `There is no session "${sessionId}" to resume.` });
  }
  const last = known.run;
  if (last === undefined || !isResumable(last)) {
    throw nothingToResume(sessionId, last);
  }
  if (worker !== undefined) refuseForWorkers(parts, sessionId, last);
  const merged = await mergeAnswers(last, answers);
  requirePlugins(parts, last);
  requireTap(parts, last);
  const live = new LiveSession(parts.store, sessionId, known);
  requireTools(parts, live, last);
  const state = upgradeStates(parts, live, last);
  const id = randomId('resume');
  const run = new ActiveRun(last.id, {
    parts,
    chains: parts.host.chains,
    session: live,
    context: await contextOf(worker, sessionId, last, options),
    ...settingsOf(parts, options, last),
    // The record holds the JSON Schema that this run began with.
    output: outputOf(options.output) ?? outputOf(last.output?.['schema'] as never),
    listener: worker === undefined ? listener : worker.listenerOf(sessionId, last.submitted),
    resume: {
      record: { ...last, state },
      id,
      answers: merged,
      pauseMs: worker?.pauseMs,
    },
  });
  await live.claim(id, parts.claimMs, { run: run.toRecord() });
  return run;
}

async function contextOf(
  worker: WorkerTerms | undefined,
  sessionId: string,
  { submitted }: RunRecord,
  options: Pick<RunOptions, 'context'>,
): Promise<unknown> {
  return worker === undefined ? options.context : worker.contextOf(sessionId, submitted?.metadata ?? {});
}

/** The settings of a run. The choice of tools is no setting of the model: it changes from step to step. */
function settingsOf(
  parts: AgentParts,
  own: Pick<RunOptions, 'settings' | 'toolChoice'>,
  before?: Pick<RunRecord, 'submitted' | 'toolChoice'>,
): Pick<RunSetup, 'settings' | 'toolChoice'> {
  const given = { ...before?.submitted?.settings, ...own.settings };
  const { toolChoice = before?.toolChoice?.choice ?? parts.toolChoice, ...settings } = given;
  return {
    settings:
      Object.keys(settings).length === 0 ? parts.settings : frozenCopy({ ...parts.settings, ...settings }),
    toolChoice: own.toolChoice ?? toolChoice,
  };
}

/** Nobody goes on from a session that was forgotten by beginning anew without a word. */
function refuseForgotten(sessionId: string): void {
  if (!isAnonymous(sessionId)) return;
  throw new ShallotError('SESSION_NOT_FOUND', {
    message: `Session "${sessionId}" was forgotten when its run ended, as that run named no session. To go on from a run, give it a session: run(input, { sessionId: 'name' }).`,
  });
}

export function refuseUnfinished(known: KnownSession | undefined): void {
  const run = known?.run;
  if (known === undefined || run === undefined) return;
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

/** A plugin that owns an open question, or state of the run, must be there to go on. */
function requirePlugins(parts: AgentParts, run: RunRecord): void {
  const owners = [...run.interrupts.map(({ plugin }) => plugin), ...Object.keys(run.state)];
  const missing = owners.find((plugin) => !coreNames.has(plugin) && !parts.host.has(plugin));
  if (missing === undefined) return;
  const known = run.plugins[missing];
  const name = known === undefined ? missing : versioned(known);
  throw new ShallotError('PLUGIN_GONE', {
    message: `The run waits for the plugin "${missing}" (${name}), which is not configured. Configure it again, or abandon the run with abandon: true.`,
    plugin: missing,
  });
}

/** The tap that asked must be there to get its answer. */
function requireTap({ host }: AgentParts, { position, plugins }: RunRecord): void {
  if (position.at !== 'beforeModel' && position.at !== 'afterModel') return;
  const { at: hook, tap } = position;
  if (tap === undefined || host.chains[hook].taps.some(({ key }) => key === tap)) return;
  const [plugin = tap] = tap.split('/');
  const named = versioned({ name: plugin, version: plugins[plugin]?.version });
  throw new ShallotError('PLUGIN_GONE', {
    message: `The run waits in ${hook} of ${named} (tap ${tap}), which no longer exists. Configure that version again, or abandon the run with abandon: true.`,
    plugin,
    hook,
  });
}

/** Brings stored state up to the versions that the plugins declare now. Gives the run's own. @throws `STATE_VERSION` */
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
