import { isProcessThere, thisHost, thisStart } from './this-process.ts';

/** The claim of a run on a session, with its expiry. */
export interface Claim {
  /** Unique to the run or resume that made it. */
  readonly owner: string;
  readonly host: string;
  readonly pid: number;
  /**
   * The start time of the process as the system counts it, since process ids are reused. Absent if the system does not
   * report it.
   */
  readonly started?: string;
  /** For a child run: the root's session, whose holder may take this claim over at any time. */
  readonly root?: string;
  /** In milliseconds since 1970. After this the claim has expired. */
  readonly expiresAt: number;
}

/** The identity of this process in its claims. */
let claimant: Pick<Claim, 'host' | 'pid' | 'started'> | undefined;

/** Returns a claim of this process that expires in `leaseMs` milliseconds unless it is renewed. */
export function newClaim(owner: string, leaseMs: number, root?: string): Claim {
  claimant ??= { host: thisHost(), pid: process.pid, ...thisStart() };
  const claim = { owner, ...claimant, expiresAt: Date.now() + leaseMs };
  return root === undefined ? claim : { ...claim, root };
}

/**
 * Returns true if the holder of a claim may still be working: the lease has not expired, the run has not ended in this
 * process, and the holder's process still exists as far as this one can tell. The start time detects a reused process
 * id, as in a restarted container. `now` is in milliseconds since 1970.
 */
export function isClaimLive(claim: Claim, now = Date.now()): boolean {
  if (now >= claim.expiresAt || ended.has(claim.owner)) return false;
  return claim.host !== thisHost() || isProcessThere(claim);
}

/** Owners of this process that have ended although their store may still hold their claims, with the expiry of each. */
const ended = new Map<string, number>();

/** Notes that the holder of a claim has ended without releasing it: this process then treats the claim as expired. */
export function endClaim({ owner, expiresAt }: Claim): void {
  const now = Date.now();
  for (const [other, lapsesAt] of ended) {
    if (now < lapsesAt) break;
    ended.delete(other);
  }
  ended.set(owner, expiresAt);
}
