import { isShallotError } from '../../base/errors.ts';
import { messageOf } from '../../base/thrown.ts';
import { Ticker } from '../../base/ticker.ts';
import type { InboxNews } from '../../contract/work/inbox.ts';
import type { LiveSession } from './live-session.ts';

/** The seat of a run. */
interface ClaimSeat {
  /** Undefined once the run is over. */
  readonly run: ClaimHolder | undefined;
}

/** The parts of a run that renewing its claim needs. */
interface ClaimHolder {
  readonly record: { readonly session: LiveSession };
  readonly life: {
    /** Asks the run to end after its current step. */
    stopAfterStep(): void;
    abort(reason: unknown): void;
    /** Notifies the run that something was sent to it. */
    ring(): void;
  };
  readonly signs: { warn(code: string, message: string): void };
}

/** Returns the timer that renews the claims of an agent's runs. Two renewals may fail before a claim expires. */
export function claimKeeper(leaseMs: number): Ticker<ClaimSeat> {
  return new Ticker(leaseMs / 3, ({ run }) => {
    if (run === undefined) return;
    void renewClaim(run);
    // Some stores have no watch, and a watch may miss news.
    run.life.ring();
  });
}

/** Passes news from the store on to a run. */
export function hear({ run }: ClaimSeat, news: InboxNews): void {
  if (run === undefined) return;
  if (news === 'stop') void renewClaim(run);
  else run.life.ring();
}

/** Renews the claim of a run, and stops the run if a stop was requested. Never rejects. */
async function renewClaim(run: ClaimHolder): Promise<void> {
  const { life, record, signs } = run;
  const { session } = record;
  try {
    if (await session.renew()) life.stopAfterStep();
  } catch (error) {
    // The run ended during the renewal.
    if (session.isReleased) return;
    if (isShallotError(error) && error.code === 'STORE_CONFLICT') return life.abort(error);
    // The next tick tries again before the claim expires.
    signs.warn(
      'CLAIM_NOT_RENEWED',
      `The claim on session "${session.id}" could not be renewed: ${messageOf(error)}`,
    );
  }
}
