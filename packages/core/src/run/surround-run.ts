import { attempt, type Failure } from '../base/attempt.ts';
import { ShallotError } from '../base/errors.ts';
import { inTime } from '../base/in-time.ts';
import { asThrown } from '../base/thrown.ts';
import type { RunResult } from '../contract/result.ts';
import type { Chains } from '../hooks/chains.ts';
import type { Owner } from '../hooks/owner.ts';
import type { ActiveRun } from './active-run.ts';
import { finishRun } from './finish-run.ts';
import { runError } from './run-error.ts';
import { RunView } from './run-view.ts';

/** How many turns of the microtask queue an `async` surround takes to settle that does nothing after the run. */
const turnsOfSurround = 8;

/** What `aroundRun` was given decides nothing: one that fails before it has entered the run makes it fail, one that fails later is noted. */
export async function surroundRun(
  run: ActiveRun,
  surrounds: Chains['surrounds'],
  conduct: () => Promise<RunResult>,
): Promise<RunResult> {
  let conducted: Promise<RunResult> | undefined;
  let entered: PromiseWithResolvers<undefined> | undefined;
  /** Whose own code is at work: not that of one that waits for its `next`. */
  let atWork: Owner | undefined;
  let enter = (): Promise<RunResult> => {
    conducted ??= conduct();
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
        const settled = await surround(RunView.of(run, owner), next);
        if (conducted === undefined) throw missedNext(owner.id);
        return settled;
      } catch (thrown) {
        const error = asThrown(thrown);
        run.blames.surround(owner, error);
        throw error;
      }
    };
  }
  const state = { isSettled: false };
  const surrounding = attempt(enter).finally(() => {
    state.isSettled = true;
  });
  const { hookTimeoutMs } = run.parts;
  const late = (): ShallotError => timedOut(run, atWork, conducted !== undefined);
  // Most enter at once: then there is nothing to wait for.
  const isEntered = (): boolean => conducted !== undefined;
  let outside: Failure | undefined;
  if (!isEntered()) {
    entered = Promise.withResolvers<undefined>();
    const first = Promise.race([surrounding, entered.promise]);
    outside = await attempt(() => run.orAbort(inTime(first, hookTimeoutMs, late)));
  }
  if (conducted === undefined) {
    // Whoever enters now is too late: the run has its result.
    conducted = Promise.resolve(finishRun(run, outside ?? (await surrounding)));
    return conducted;
  }
  const result = await conducted;
  // Most settle with the run: a timer for each would cost more than they do.
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
  const noted = runError(run, failure.error);
  run.parts.log.warn({ err: noted, runId: run.id }, 'aroundRun failed');
  return Object.freeze({ ...result, errors: Object.freeze([...result.errors, noted]) });
}

function timedOut(run: ActiveRun, owner: Owner | undefined, isEntered: boolean): ShallotError {
  const what = isEntered ? 'settle after the run' : 'call next';
  const error = new ShallotError('HOOK_TIMEOUT', {
    message: `It did not ${what} within ${run.parts.hookTimeoutMs} ms. A function of aroundRun only wraps a run: call next immediately and return its result, or raise hookTimeoutMs.`,
  });
  if (owner !== undefined) run.blames.surround(owner, error);
  return error;
}

function missedNext(plugin: string): ShallotError {
  return new ShallotError('PLUGIN_FAILED', {
    message: `aroundRun of ${plugin} settled without calling next. It must call next() and return its result.`,
    plugin,
  });
}
