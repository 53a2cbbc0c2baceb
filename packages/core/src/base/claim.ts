import { isProcessThere, thisHost, thisStart } from './this-process.ts';

/** Who holds a session, and until when. */
export interface Claim {
  /** Unique to the run or resume that made it. */
  readonly owner: string;
  readonly host: string;
  readonly pid: number;
  /** When that process began, as its system counts it: ids are given again. Absent where the system does not tell. */
  readonly started?: string;
  /** Milliseconds since 1970; the claim is dead after this. */
  readonly expiresAt: number;
}

/** A claim of this process that lapses in `leaseMs` milliseconds unless it is renewed. */
export function newClaim(owner: string, leaseMs: number): Claim {
  return { owner, host: thisHost(), pid: process.pid, ...thisStart(), expiresAt: Date.now() + leaseMs };
}

/**
 * Whether whoever made the claim may still be at work: its lease has not lapsed, it is no run of this process that has
 * ended, and its process, as far as this one can tell, is not gone. A process that has its id by now, as the only one of a restarted container has, is another one.
 * `now` is in milliseconds since 1970.
 */
export function isClaimLive(claim: Claim, now = Date.now()): boolean {
  if (now >= claim.expiresAt || ended.has(claim.owner)) return false;
  return claim.host !== thisHost() || isProcessThere(claim);
}

/** The owners of this process that have ended, although their store may hold their claims still, with when these lapse. */
const ended = new Map<string, number>();

/** Notes that whoever made a claim has ended and could not give it back: for this process it is dead from now on. */
export function endClaim({ owner, expiresAt }: Claim): void {
  const now = Date.now();
  for (const [other, lapsesAt] of ended) {
    if (now < lapsesAt) break;
    ended.delete(other);
  }
  ended.set(owner, expiresAt);
}
