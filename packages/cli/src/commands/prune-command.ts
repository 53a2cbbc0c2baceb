import { isShallotError } from '@shallot/core';
import { isClaimLive, type SessionSummary, type Store } from '@shallot/core/store';

import type { AgentCommandOptions } from '../asking/config-loading.ts';
import { CommandFailure } from '../terminal/command-failure.ts';
import { count } from '../terminal/count.ts';
import { exitStatus } from '../terminal/exit-status.ts';
import type { Screen } from '../terminal/screen.ts';
import { visibleLine } from '../terminal/visible.ts';
import { withStore } from '../work/with-store.ts';

export interface PruneCommandOptions extends AgentCommandOptions {
  /** A time, as it was typed. */
  readonly olderThan: string;
  /** Deletes those that wait for answers, too. */
  readonly waiting?: boolean;
  readonly dryRun?: boolean;
}

/** `shallot sessions prune`: deletes the sessions that have not changed for so long, but none that a run is at work on. */
export async function pruneSessionsCommand(options: PruneCommandOptions, screen: Screen): Promise<void> {
  const before = Date.now() - readTime(options.olderThan);
  await withStore(options, screen, async (store) => {
    const tally = { deleted: 0, busy: 0, waiting: 0 };
    for await (const summary of store.list()) {
      // Of a damaged one nothing is known, its time neither.
      if (summary.damaged === true || summary.updatedAt >= before) continue;
      const fate = await prune(store, summary, options);
      tally[fate] += 1;
      if (fate === 'deleted' && options.dryRun) await screen.line(visibleLine(summary.id));
    }
    const deleted = count(tally.deleted, 'session');
    if (options.dryRun) screen.note(`Would delete ${deleted}.`);
    else await screen.line(`Deleted ${deleted}.`);
    if (tally.waiting > 0)
      screen.note(
        `Kept ${count(tally.waiting, 'session')} with open questions: --waiting deletes them, too.`,
      );
    if (tally.busy > 0) screen.note(`Kept ${count(tally.busy, 'session')} that a run is at work on.`);
  });
}

async function prune(
  store: Store,
  { id, status, interrupts }: SessionSummary,
  { waiting = false, dryRun = false }: PruneCommandOptions,
): Promise<'deleted' | 'busy' | 'waiting'> {
  if (interrupts > 0 && status === 'interrupted' && !waiting) return 'waiting';
  // A run can be at work on those alone whose last one has not ended: the others need not be read.
  if (status === 'running' && (await isAtWork(store, id))) return 'busy';
  if (!dryRun) await store.delete(id);
  return 'deleted';
}

async function isAtWork(store: Store, sessionId: string): Promise<boolean> {
  try {
    const claim = (await store.load(sessionId))?.claim;
    return claim !== undefined && isClaimLive(claim);
  } catch (error) {
    if (isShallotError(error, 'STORE_DAMAGED')) return false;
    throw error;
  }
}

const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Milliseconds of `90m`, `12h`, `30d` or `2w`. */
function readTime(text: string): number {
  const [, number = '', unit = ''] = /^(\d+)([mhdw])$/.exec(text) ?? [];
  // The pattern allows no other units.
  const ms = Number(number) * (unitMs[unit as keyof typeof unitMs] ?? Number.NaN);
  if (Number.isSafeInteger(ms)) return ms;
  throw new CommandFailure(
    exitStatus.usage,
    `--older-than is "${visibleLine(text)}"; write a number with m, h, d or w: 90m, 12h, 30d, 2w.`,
  );
}
