import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

import type { Claim } from './store.ts';

/** A claim of this process that lapses in `leaseMs` milliseconds unless it is renewed. */
export function newClaim(owner: string, leaseMs: number): Claim {
  return { owner, host: thisHost(), pid: process.pid, expiresAt: Date.now() + leaseMs };
}

/**
 * Whether whoever made the claim may still be at work: its lease has not lapsed, and its process, as far as this one
 * can tell, is not gone. `now` is in milliseconds since 1970.
 */
export function isClaimLive(claim: Claim, now = Date.now()): boolean {
  if (now >= claim.expiresAt) return false;
  return claim.host !== thisHost() || isProcessThere(claim.pid);
}

let host: string | undefined;

/**
 * The name of the machine, and of the container when process ids are its own: containers can share a host's name, and
 * a process id means nothing in another's.
 */
function thisHost(): string {
  host ??= `${hostname()}${pidNamespace()}`;
  return host;
}

/** The number that Linux gives to the outermost namespace of process ids (`PROC_PID_INIT_INO`). */
const outermost = 'pid:[4026531836]';

function pidNamespace(): string {
  if (process.platform !== 'linux') return '';
  try {
    const namespace = readlinkSync('/proc/self/ns/pid');
    return namespace === outermost ? '' : `/${namespace}`;
  } catch {
    // Without /proc there is nothing to tell namespaces apart by.
    return '';
  }
}

function isProcessThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Anything but "no such process" (EPERM, above all) means that there is one.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
