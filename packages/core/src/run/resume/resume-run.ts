import { ShallotError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { randomId } from '../../base/node-crypto.ts';
import type { ResumeOptions, RunOptions } from '../../contract/agent-options.ts';
import type { Answers } from '../../contract/interrupt.ts';
import { coreNames, versioned } from '../../contract/plugin-names.ts';
import type { ConfiguredPlugins, RunRecord } from '../../contract/store.ts';
import type { KnownSession } from '../../sessions/content/known-session.ts';
import { LiveSession } from '../../sessions/live/live-session.ts';
import { mergeAnswers } from '../../sessions/questions/merge-answers.ts';
import { checkOwner, refuseChild } from '../../sessions/stores/for-owner.ts';
import { isResumable } from '../../sessions/stores/resumable.ts';
import { nothingToResume } from '../abandon-run.ts';
import { ActiveRun } from '../active-run.ts';
import type { AgentParts } from '../agent-parts.ts';
import { refuseForgotten, upgradeStates, viewFor, type Found, type RunCaller } from '../begin-run.ts';
import { passAnswers, type PassedAnswers } from '../input/pass-answers.ts';
import { keepEntries, passInput, type InputTerms } from '../input/pass-input.ts';
import { requireModel } from '../model/model-registry.ts';
import { modelTermsOf } from '../model/model-terms.ts';
import { withoutDeath } from '../parts/attempts.ts';
import type { Signs } from '../parts/signs.ts';
import type { RunParts } from '../run-parts.ts';
import { requireTools } from '../tools/required-tools.ts';
import { withSession } from '../with-session.ts';
import { refuseForWorkers } from './refuse-for-workers.ts';
import { refuseForeign } from './refuse-foreign.ts';

/** The options of a run that a worker resumes for a caller in another process. */
export interface WorkerTerms {
  /** The pause after an attempt that did not advance the run, in milliseconds. */
  readonly pauseMs: number;
  /**
   * Called before the claim, with the run as it was read, so that a failure can be recorded. Returns false if the run
   * has to wait for another one.
   */
  admits(sessionId: string, read: { readonly revision: number; readonly run: RunRecord }): boolean;
  /** Returns true if the run did not cause the failure of the last attempt, which then does not count. */
  isForgiven(sessionId: string): boolean;
  /** True if runs that another version of the agent began are refused. */
  readonly isSameVersionOnly: boolean;
  /** Returns the context of the run, made from the submitted metadata. */
  contextOf(sessionId: string, metadata: JsonObject): unknown;
  /** Returns the listener for the events of the run. */
  listenerOf(sessionId: string, submitted: RunRecord['submitted']): Signs['listener'];
}

/** Claims the session to resume its unfinished run. All checks happen before the claim. */
export function resumeRun(
  parts: AgentParts,
  sessionId: string,
  answers: Answers,
  options: ResumeOptions,
  caller: RunCaller,
  worker?: WorkerTerms,
): ActiveRun | Promise<ActiveRun> {
  const begin = (known: KnownSession | undefined): Promise<ActiveRun> =>
    resumeWith(parts, { sessionId, known }, answers, options, caller, worker);
  return withSession(parts.store, sessionId, begin, parts.sessionCache);
}

/** Claims a loaded session to resume its run. */
export async function resumeWith(
  parts: AgentParts,
  { sessionId, known }: Found,
  answers: Answers,
  options: Omit<ResumeOptions, 'by'> & { readonly by?: Parameters<typeof mergeAnswers>[2] },
  { listener, seat, children, parent }: RunCaller,
  worker: WorkerTerms | undefined,
): Promise<ActiveRun> {
  if (known === undefined) {
    refuseForgotten(sessionId);
    throw new ShallotError('SESSION_NOT_FOUND', { message: `There is no session "${sessionId}" to resume.` });
  }
  if (parent === undefined) refuseChild({ id: sessionId, about: known.content.about });
  const stored = known.content.run;
  if (stored === undefined || !isResumable(stored)) {
    throw nothingToResume(sessionId, stored);
  }
  const last = worker?.isForgiven(sessionId) === true ? withoutDeath(stored) : stored;
  checkOwner({ id: sessionId, about: known.content.about }, options);
  if (options.takeOver !== true) refuseForeign(parts, sessionId, last, worker?.isSameVersionOnly === true);
  if (worker !== undefined) {
    const isAdmitted = worker.admits(sessionId, { revision: known.revision, run: last });
    refuseForWorkers(parts, { sessionId, run: last, plugins: known.content.plugins }, isAdmitted);
  }
  const merged = await mergeAnswers(last, answers, options.by);
  const { context: given } = options;
  const passed = await passGiven(parts, merged.answers, { context: given, sessionId, signal: seat.signal });
  requirePlugins(parts, last, known.content.plugins);
  requireTap(parts, last, known.content.plugins);
  requireModel(parts.models, last);
  const live = new LiveSession(parts.store, sessionId, known, parent?.session);
  requireTools(parts, live, last);
  const state = upgradeStates(parts, live, last.state);
  const context = await contextOf(worker, sessionId, last, options);
  const model = modelTermsOf(parts, options, last);
  const id = randomId('resume');
  const run = new ActiveRun(
    { id: last.id, parts, chains: parts.onion.chains, context, model, parent },
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
      runs: children,
    },
  );
  keepEntries(live, passed.kept, run.plugins.root);
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
  terms: Pick<InputTerms, 'context' | 'sessionId' | 'signal'>,
): Promise<PassedAnswers> | PassedAnswers {
  const isFree = parts.onion.chains.inputs.length === 0 || Object.keys(answers).length === 0;
  return isFree ? { answers, kept: [] } : passAnswers(parts, answers, terms);
}

/** Passes a submitted input through the taps on the input, which were unknown to the process that submitted it. */
async function prepareSubmitted(
  parts: AgentParts,
  run: RunParts,
  { position, submitted }: RunRecord,
  signal: AbortSignal,
): Promise<void> {
  if (position.at !== 'input' || submitted?.isNew !== true || submitted.prepared === true) return;
  if (parts.onion.chains.inputs.length === 0) return;
  const { newMessageId } = run.record;
  const { context } = run.terms;
  const sessionId = run.record.session.id;
  const terms = { kind: 'input', context, sessionId, signal, newMessageId } as const;
  const { messages, kept } = await passInput(parts, position.input, terms);
  keepEntries(run.record.session, kept, run.plugins.root);
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

/** Checks that every plugin that owns an open question or run state is configured. @throws `PLUGIN_GONE` */
function requirePlugins(parts: AgentParts, run: RunRecord, plugins: ConfiguredPlugins): void {
  // The questions of an ended run need no answer.
  const asking = run.ending === undefined ? run.interrupts.map(({ plugin }) => plugin) : [];
  const owners = [...asking, ...Object.keys(run.state)];
  const missing = owners.find((plugin) => !coreNames.has(plugin) && !parts.host.has(plugin));
  if (missing === undefined) return;
  const known = plugins[missing];
  const name = known === undefined ? missing : versioned(known);
  throw new ShallotError('PLUGIN_GONE', {
    message: `The run waits for the plugin "${missing}" (${name}), which is not configured. Configure it again, or abandon the run with abandon: true.`,
    plugin: missing,
  });
}

/** Checks that the tap that asked a question still exists. @throws `PLUGIN_GONE` */
function requireTap(
  { onion }: AgentParts,
  { position, interrupts }: RunRecord,
  plugins: ConfiguredPlugins,
): void {
  if (position.at !== 'beforeModel' && position.at !== 'afterModel') return;
  const { at: hook, tap } = position;
  if (tap === undefined || onion.chains[hook].taps.some(({ key }) => key === tap)) return;
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
