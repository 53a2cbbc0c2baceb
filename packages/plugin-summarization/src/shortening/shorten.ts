import type { Message, ToolMessage } from '@shallot/core';
import { clearResults, clipResults, safeCut, type SafeCut } from '@shallot/core/plugin';

import { titleOf } from '../history/render-message.ts';
import { indexToKeep, tokenSize, type Size } from '../settings/size.ts';
import type { Job } from '../settings/workshop.ts';

/** A history on its way to become shorter: as many messages as the session has, at the same places. */
export interface Draft {
  readonly messages: readonly Message[];
  /** Up to which index long arguments are cut. */
  readonly truncatedTo: number;
  /** What it is shorter by, in tokens. */
  readonly saved: number;
}

/** A draft in which old results are stubs, and new ones that are too large are cut. */
export interface Shortened extends Draft {
  /** All before this index has to be in the history file, as it was. */
  readonly to: number;
  readonly cleared: number;
  readonly clipped: number;
  /** What of `saved` was cut from the new results. */
  readonly clippedTokens: number;
}

/** When new results are cut: when what has to stay comes to `limit` tokens; to how many it is cut then. */
export interface Room {
  readonly limit: number;
  readonly target: number;
}

/** However little room there is, this much is left of a result. */
const minResultTokens = 100;

/** The room before anything is too long: by the smallest size at which a history is condensed. */
export function roomOf({ sizes: { trigger, contextTokens } }: Job): Room {
  const limits = trigger.map((size) => tokenSize(size, contextTokens) ?? Infinity);
  const limit = Math.min(...limits, (contextTokens ?? Infinity) * 0.85);
  return { limit, target: limit * 0.8 };
}

/**
 * Makes results shorter: those before the kept part become stubs, if they are to, and those that no answer came to yet are
 * cut, if they are too large with all that has to stay. `path` is where the whole ones are.
 */
export function shortenResults(
  job: Job,
  draft: Draft,
  path: string | undefined,
  room: Room,
  clears = true,
): Shortened {
  const { tokens } = job.shop;
  const scale = job.shop.meter.scale(job.run);
  const cut = cutOf(job, draft.messages);
  const cleared = clearResults(draft.messages, clears ? cut.at : 0, (result) => stubOf(result, path));
  const clipped = clipNew(job, cleared.messages, cut, path, room);
  const all = tokens.messages(draft.messages);
  const afterClearing = tokens.messages(cleared.messages);
  const clippedTokens = (afterClearing - tokens.messages(clipped.messages)) * scale;
  return {
    messages: clipped.messages,
    truncatedTo: draft.truncatedTo,
    to: Math.max(
      draft.truncatedTo,
      cleared.changed > 0 ? cut.at : 0,
      clipped.changed > 0 ? draft.messages.length : 0,
    ),
    saved: draft.saved + (all - afterClearing) * scale + clippedTokens,
    cleared: cleared.changed,
    clipped: clipped.changed,
    clippedTokens,
  };
}

function clipNew(
  { shop, run, extent }: Job,
  messages: readonly Message[],
  { dropped }: SafeCut,
  path: string | undefined,
  { limit, target }: Room,
): ReturnType<typeof clipResults> {
  const { tokens, meter } = shop;
  const from = messages.findLastIndex(({ role }) => role !== 'tool') + 1;
  const staying = extent.tokens - tokens.messages(dropped) * meter.scale(run);
  if (from === messages.length || staying < limit) return { messages, changed: 0 };
  const results = messages.slice(from);
  const others = staying - tokens.messages(results) * meter.scale(run);
  const maxTokens = Math.max(minResultTokens * results.length, (target - others) / meter.scale(run));
  return clipResults(messages, from, { maxTokens, tokens, note: (result) => noteOf(result, path) });
}

function stubOf(result: ToolMessage, path: string | undefined): string {
  const where = path === undefined ? `Call ${result.name} again if you need it.` : placeOf(result, path);
  return `[This result was cleared to make room. ${where}]`;
}

function noteOf(result: ToolMessage, path: string | undefined): string {
  const where = path === undefined ? 'Ask for less at once if you need it.' : placeOf(result, path);
  return `[Part of this result is left out here, since it is too large. ${where}]`;
}

function placeOf(result: ToolMessage, path: string): string {
  return `The whole is in the file ${path}, under "### ${titleOf(result)}".`;
}

/** What goes and what stays, by the size that is kept. */
export function cutOf(job: Job, messages: readonly Message[]): SafeCut {
  return safeCut(messages, keepIndex(job, job.sizes.keep, messages));
}

export function keepIndex(
  { shop, run, sizes }: Job,
  keep: readonly Size[],
  messages: readonly Message[],
): number {
  const scale = shop.meter.scale(run);
  return indexToKeep(keep, messages, (message) => shop.tokens.message(message) * scale, sizes.contextTokens);
}
