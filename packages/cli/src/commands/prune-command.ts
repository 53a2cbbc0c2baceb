import { isShallotError } from '@shallot/core';
import { isClaimLive, type SessionSummary, type Store } from '@shallot/core/store';

import type { AgentCommandOptions } from '../asking/config-loading.ts';
import { noteWarning } from '../rendering/note-failure.ts';
import { CommandFailure } from '../terminal/command-failure.ts';
import { count } from '../terminal/count.ts';
import { exitStatus } from '../terminal/exit-status.ts';
import type { Screen } from '../terminal/screen.ts';
import { visibleLine } from '../terminal/visible.ts';
import { deleteWithFiles, type DeletingWith } from '../work/delete-with-files.ts';
import { withSharedStore } from '../work/with-store.ts';

export interface PruneCommandOptions extends AgentCommandOptions {
  /** A duration, as typed. */
  readonly olderThan: string;
  /** Also deletes sessions that wait for answers. */
  readonly waiting?: boolean;
  readonly dryRun?: boolean;
  /** Keeps files written by plugins, and lists them. */
  readonly keepFiles?: boolean;
}

/**
 * `shallot sessions prune`: deletes sessions that have not changed for a time. Keeps damaged ones, those that a run works
 * on, and, without `waiting`, those with open questions.
 */
export async function pruneSessionsCommand(
  { keepFiles, ...options }: PruneCommandOptions,
  screen: Screen,
): Promise<number> {
  const before = Date.now() - readTime(options.olderThan);
  return withSharedStore('shallot sessions prune', options, screen, async (store, files) => {
    const tally = { deleted: 0, busy: 0, changed: 0, waiting: 0, stuck: 0 };
    for await (const summary of store.list()) {
      // The change time of a damaged session is unknown.
      if (summary.damaged === true || summary.updatedAt >= before) continue;
      const fate = await prune(summary, options, { store, files, keepFiles, screen });
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
    if (tally.changed > 0) screen.note(`Kept ${count(tally.changed, 'session')} that was just changed.`);
    if (tally.stuck === 0) return exitStatus.completed;
    screen.note(`Kept ${count(tally.stuck, 'session')} with files that cannot be removed: see the warnings.`);
    return exitStatus.failed;
  });
}

async function prune(
  summary: SessionSummary,
  { waiting = false, dryRun = false }: PruneCommandOptions,
  deleting: DeletingWith,
): Promise<'deleted' | 'busy' | 'changed' | 'waiting' | 'stuck'> {
  const { id, revision, status, interrupts, about } = summary;
  const { store, screen } = deleting;
  if (interrupts > 0 && status === 'interrupted' && !waiting) return 'waiting';
  // Only sessions whose last run has not ended can be in use, so the others need not be loaded.
  if (status === 'running' && (await isAtWork(store, id))) return 'busy';
  try {
    if (dryRun) return 'deleted';
    if (about === undefined) await store.delete(id, { ifRevision: revision });
    else await deleteWithFiles(summary, deleting);
    return 'deleted';
  } catch (error) {
    if (isShallotError(error, 'STORE_CONFLICT')) return 'changed';
    if (!isShallotError(error, 'SESSION_FILES_LEFT')) throw error;
    noteWarning(error, screen);
    return 'stuck';
  }
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

/** Returns the milliseconds of `90m`, `12h`, `30d` or `2w`. */
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
