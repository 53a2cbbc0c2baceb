import type { Frame } from '../hooks/frame.ts';
import type { ActiveRun } from './active-run.ts';

/**
 * Renews a claim that has lapsed, or gives the run up: before a model call, a tool call or a function of `once` begins
 * in a process that slept past its lease. Waits no longer than the frame, if there is one, is open.
 */
export function regainClaim(run: ActiveRun, frame?: Frame): Promise<void> {
  const regained = renewClaim(run);
  return frame === undefined ? regained : frame.wait(regained);
}

async function renewClaim(run: ActiveRun): Promise<void> {
  try {
    if (await run.session.renew(run.parts.claimMs)) run.stopAfterStep();
  } catch (error) {
    run.abort(error);
    run.life.throwIfStopped();
    throw error;
  }
}
