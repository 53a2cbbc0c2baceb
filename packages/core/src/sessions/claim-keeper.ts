import { isShallotError } from '../base/errors.ts';
import { messageOf } from '../base/thrown.ts';
import { Ticker } from '../base/ticker.ts';
import type { LiveSession } from './live-session.ts';

/** A run, as far as its claim goes. */
export interface ClaimHolder {
  readonly session: LiveSession;
  /** Somebody wants it to end with its step. */
  stopAfterStep(): void;
  abort(reason: unknown): void;
  warn(code: string, message: string): void;
}

/** Keeps the claims of an agent's runs alive. A claim may miss two renewals before it lapses. */
export function claimKeeper(leaseMs: number): Ticker<ClaimHolder> {
  return new Ticker(leaseMs / 3, (run) => void renew(run, leaseMs));
}

async function renew(run: ClaimHolder, leaseMs: number): Promise<void> {
  const { id } = run.session;
  try {
    if (await run.session.renew(leaseMs)) run.stopAfterStep();
  } catch (error) {
    if (isShallotError(error) && error.code === 'STORE_CONFLICT') return run.abort(error);
    // The next tick tries again, and the lease has room for two failures.
    run.warn('CLAIM_NOT_RENEWED', `The claim on session "${id}" could not be renewed: ${messageOf(error)}`);
  }
}
