import { lstatSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import { isClaimLive, newClaim } from '../base/claim.ts';
import { ShallotError } from '../base/errors.ts';
import { nodeCrypto } from '../base/node-crypto.ts';
import { systemCode } from '../base/thrown.ts';
import type { Place } from './open-place.ts';
import { isReservedName, quotePath } from './path.ts';

/** The age from which a lock is stale, whatever its process id: a lock is held only while a file is written. */
const leaseMs = 60_000;
/** The age from which an incomplete lock is stale: creating a lock takes microseconds, so its process has died. */
const makingMs = 1000;
const patienceMs = 10_000;

/**
 * The holder of a lock. `owner` is undefined while the claim is incomplete: it is being written, or its process died
 * first.
 */
interface Holder {
  readonly owner: string | undefined;
  readonly live: boolean;
  readonly pid: number;
}

/**
 * Calls `use` while all other writers of a file wait, including those in other processes. The lock is a file beside it,
 * which is taken over if its process is gone. `use` may create a temporary file at the path that it receives; if the
 * process dies, the file is removed with the lock. @throws `FILE_FAILED` if another writer holds the lock for more than
 * ten seconds
 */
export async function withFileLock<T>(
  { directory, name }: Place,
  path: string,
  use: (temporary: string) => T | Promise<T>,
): Promise<T> {
  const owner = nodeCrypto().randomBytes(8).toString('hex');
  const lock = directory.entry(lockName(name));
  await acquire(directory, lock, owner, path);
  try {
    return await use(directory.entry(temporaryName(owner)));
  } finally {
    if (holderOf(lock)?.owner === owner) unlinkSync(lock);
  }
}

function temporaryName(owner: string): string {
  return `.shallot-${owner}.tmp`;
}

/** Returns one name for all spellings that a file system may treat as the same file. */
function lockName(name: string): string {
  const folded = name.normalize('NFKD').toUpperCase().toLowerCase();
  return `.shallot-${nodeCrypto().createHash('sha256').update(folded).digest('hex').slice(0, 16)}.lock`;
}

async function acquire(
  directory: Place['directory'],
  lock: string,
  owner: string,
  path: string,
): Promise<void> {
  const deadline = Date.now() + patienceMs;
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, 20)) {
    if (tryCreate(lock, owner)) return;
    const holder = holderOf(lock);
    if (holder?.owner === owner) return;
    if (holder === undefined || (!holder.live && takeOver(directory, lock, owner, holder))) continue;
    if (Date.now() > deadline) throw stillHeld(path, holder);
    await sleep(pauseMs * (0.5 + Math.random()));
  }
}

/**
 * Replaces a lock whose holder is gone; returns false if this did not succeed. Removing the old lock first would be
 * wrong: two processes that both find it dead could each remove the other's new lock. So the right to replace it is a
 * lock itself, which then moves over the old lock in one step.
 */
function takeOver(directory: Place['directory'], lock: string, owner: string, dead: Holder): boolean {
  const steal = `${lock}.steal`;
  if (!tryCreate(steal, owner)) {
    if (holderOf(steal)?.live === false) unlinkIfThere(steal);
    return false;
  }
  const held = holderOf(lock);
  if (held === undefined || held.live || held.owner !== dead.owner) {
    unlinkIfThere(steal);
    return false;
  }
  const left = temporaryName(dead.owner ?? '');
  // The file may contain anything; only reserved names are removed.
  if (isReservedName(left)) unlinkIfThere(directory.entry(left));
  renameSync(steal, lock);
  return holderOf(lock)?.owner === owner;
}

function tryCreate(lock: string, owner: string): boolean {
  try {
    writeFileSync(lock, JSON.stringify(newClaim(owner, leaseMs)), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    // A full disk may create the file without its content.
    if (holderOf(lock)?.owner === undefined) unlinkIfThere(lock);
    throw error;
  }
  // A process that was suspended while creating the lock may have lost it.
  return holderOf(lock)?.owner === owner;
}

/** Returns the holder of a lock; undefined if it is free. */
function holderOf(lock: string): Holder | undefined {
  try {
    const age = Date.now() - lstatSync(lock).mtimeMs;
    const claim = parseClaim(readFileSync(lock, 'utf8'));
    const live = claim === undefined ? age < makingMs : age < leaseMs && isClaimLive(claim);
    return { owner: claim?.owner, live, pid: claim?.pid ?? 0 };
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function parseClaim(text: string): ReturnType<typeof newClaim> | undefined {
  try {
    const claim: unknown = JSON.parse(text);
    // Only `newClaim` writes this file; an incomplete claim cannot be parsed.
    return claim as ReturnType<typeof newClaim>;
  } catch {
    // Its creator has not finished writing it.
    return undefined;
  }
}

function unlinkIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
}

function stillHeld(path: string, { pid }: Holder): ShallotError {
  return new ShallotError('FILE_FAILED', {
    message: `Could not write ${quotePath(path)}: process ${pid} has been writing it for ${patienceMs / 1000} seconds. Try again later.`,
    transient: true,
  });
}
