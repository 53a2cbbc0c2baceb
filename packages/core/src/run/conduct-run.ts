import type { Failure } from '../base/attempt.ts';
import { asThrown } from '../base/thrown.ts';
import type { RunResult } from '../contract/result.ts';
import type { ActiveRun } from './active-run.ts';
import { finishRun } from './finish-run.ts';
import { warnOfGonePlugins } from './gone-plugins.ts';
import { runLoop } from './loop.ts';
import { surroundRun } from './surround-run.ts';

/** Runs a claimed run to its end, inside what plugins put around it. Never rejects: the result tells. */
export async function conductRun(run: ActiveRun): Promise<RunResult> {
  void run.listener?.({ type: 'run-start', runId: run.id, sessionId: run.session.id, resumed: run.resumed });
  if (run.gonePlugins !== undefined) warnOfGonePlugins(run);
  const { surrounds } = run.chains;
  const conducted = surrounds.length === 0 ? conduct(run) : surroundRun(run, surrounds, () => conduct(run));
  const result = await conducted;
  void run.listener?.({ type: 'run-end', result });
  return result;
}

async function conduct(run: ActiveRun): Promise<RunResult> {
  let failure: Failure | undefined;
  try {
    await runLoop(run);
  } catch (thrown) {
    failure = { error: asThrown(thrown) };
  }
  return await finishRun(run, failure);
}
