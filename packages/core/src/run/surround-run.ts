import { attempt, type Failure } from '../base/attempt.ts';
import { ShallotError } from '../base/errors.ts';
import { inTime } from '../base/in-time.ts';
import { asThrown } from '../base/thrown.ts';
import type { RunResult } from '../contract/result.ts';
import type { Chains } from '../hooks/chains.ts';
import type { Owner } from '../hooks/owner.ts';
import type { ActiveRun } from './active-run.ts';
import { finishRun } from './finish-run.ts';
import { runLoop } from './loop.ts';
import { runError } from './run-error.ts';
import type { RunParts } from './run-parts.ts';

/** The number of microtasks that an `async` surround takes to settle after the run, if it does nothing else. */
const turnsOfSurround = 8;

/**
 * Calls the functions of `aroundRun` around a run. One that fails before entering the run fails the run; later failures
 * are added to the errors of the result.
 */
export async function surroundRun(run: ActiveRun, surrounds: Chains['surrounds']): Promise<RunResult> {
  let conducted: Promise<RunResult> | undefined;
  let entered: PromiseWithResolvers<undefined> | undefined;
  /** The owner of the surround whose own code is running, rather than awaiting `next`. */
  let atWork: Owner | undefined;
  let enter = (): Promise<RunResult> => {
    conducted ??= runLoop(run);
    entered?.resolve(undefined);
    return conducted;
  };
  for (const { owner, surround } of surrounds.toReversed()) {
    const inner = enter;
    const back = (): void => {
      atWork = owner;
    };
    const next = (): Promise<RunResult> => {
      const settling = inner();
      settling.then(back, back);
      return settling;
    };
    enter = async () => {
      atWork = owner;
      try {
        const settled = await surround(run.plugins.viewFor(owner), next);
        if (conducted === undefined) throw missedNext(owner.id);
        return settled;
      } catch (thrown) {
        const error = asThrown(thrown);
        run.signs.blames.surround(owner, error);
        throw error;
      }
    };
  }
  const state = { isSettled: false };
  const surrounding = attempt(enter).finally(() => {
    state.isSettled = true;
  });
  const { hookTimeoutMs } = run.terms.parts;
  const late = (): ShallotError => timedOut(run, atWork, conducted !== undefined);
  // Most surrounds call `next` synchronously.
  const isEntered = (): boolean => conducted !== undefined;
  let outside: Failure | undefined;
  if (!isEntered()) {
    entered = Promise.withResolvers<undefined>();
    const first = Promise.race([surrounding, entered.promise]);
    outside = await attempt(() => run.life.orAbort(inTime(first, hookTimeoutMs, late)));
  }
  if (conducted === undefined) {
    // The result no longer depends on the surrounds: a later `next` must not start the run again.
    const failure = outside ?? (await surrounding);
    conducted = failure === undefined ? runLoop(run) : Promise.resolve(finishRun(run, failure));
    return conducted;
  }
  const result = await conducted;
  // Most surrounds settle right after the run; a timer for each would cost more than these microtasks.
  for (let turn = 0; turn < turnsOfSurround * surrounds.length && !state.isSettled; turn += 1) {
    await Promise.resolve();
  }
  let failure: Failure | undefined;
  try {
    failure = await (state.isSettled ? surrounding : inTime(surrounding, hookTimeoutMs, late));
  } catch (error) {
    failure = { error };
  }
  if (failure === undefined) return result;
  const noted = runError(run.terms, run.signs, failure.error);
  run.terms.parts.log.warn({ err: noted, runId: run.terms.id }, 'aroundRun failed');
  return Object.freeze({ ...result, errors: Object.freeze([...result.errors, noted]) });
}

function timedOut(run: RunParts, owner: Owner | undefined, isEntered: boolean): ShallotError {
  const what = isEntered ? 'settle after the run' : 'call next';
  const error = new ShallotError('HOOK_TIMEOUT', {
    message: `It did not ${what} within ${run.terms.parts.hookTimeoutMs} ms. A function of aroundRun only wraps a run: call next immediately and return its result, or raise hookTimeoutMs.`,
  });
  if (owner !== undefined) run.signs.blames.surround(owner, error);
  return error;
}

function missedNext(plugin: string): ShallotError {
  return new ShallotError('PLUGIN_FAILED', {
    message: `aroundRun of ${plugin} settled without calling next. It must call next() and return its result.`,
    plugin,
  });
}
