import { isShallotError } from '../base/errors.ts';
import type { Frame } from '../hooks/frame.ts';
import type { RunParts } from './run-parts.ts';

/**
 * Renews a claim that has lapsed. If a stop was requested meanwhile, the run ends after its step; if another run took
 * the claim, or the renewal fails, the run is aborted. The claim may lapse again before this promise is handled, so
 * callers check it in the same tick in which they start work: `while (!run.record.session.isHeld) await
 * regainClaim(run)`. Rejects when `frame` closes.
 */
export function regainClaim(run: RunParts, frame?: Frame): Promise<void> {
  const regained = regain(run);
  return frame === undefined ? regained : frame.wait(regained);
}

async function regain(run: RunParts): Promise<void> {
  const { life, record, signs, terms } = run;
  const { session } = record;
  const { isRenewing } = session;
  try {
    if (await session.renew()) life.stopAfterStep();
  } catch (error) {
    // A renewal that was pending while the process slept may have lost its connection: the caller tries again.
    if (isRenewing && life.stopped === undefined && !isShallotError(error, 'STORE_CONFLICT')) return;
    if (!life.isOver) life.abort(error);
    throw life.stopped ?? error;
  }
  if (!session.isHeld) signs.warn('CLAIM_NOT_RENEWED', tooLate(session.id, terms.parts.claimMs));
}

function tooLate(sessionId: string, claimMs: number): string {
  return `The claim on session "${sessionId}" lapsed again before the store had renewed it: claimMs is ${claimMs}. It is renewed again; nothing begins until then.`;
}
