import type { Message, ToolMessage } from '@shallot/core';
import { clearResults, clipResults, safeCut, type SafeCut } from '@shallot/core/plugin';

import { titleOf } from '../history/render-message.ts';
import { indexToKeep, tokenSize, type Size } from '../settings/size.ts';
import type { Job } from '../settings/workshop.ts';

/** A history during shortening. It has the same messages as the session at the same indexes, some of them shortened. */
export interface Draft {
  readonly messages: readonly Message[];
  /** Long arguments are truncated before this index. */
  readonly truncatedTo: number;
  /** The tokens saved so far, on the scale that the model reports. */
  readonly saved: number;
}

/** A draft with old results replaced by stubs, and large new results clipped. */
export interface Shortened extends Draft {
  /** Messages before this index must be saved in the history file before they are replaced. */
  readonly to: number;
  readonly cleared: number;
  readonly clipped: number;
  /** The part of `saved` that came from clipping new results. */
  readonly clippedTokens: number;
}

/** New results are clipped once the kept part reaches `limit` tokens, down to `target` tokens. */
export interface Room {
  readonly limit: number;
  readonly target: number;
}

/** The least size of a clipped result, in tokens. */
const minResultTokens = 100;

/**
 * Returns the room of the smallest trigger size, at most 85 % of the model's context; `Infinity` if both are unknown.
 */
export function roomOf({ sizes: { trigger, contextTokens } }: Job): Room {
  const limits = trigger.map((size) => tokenSize(size, contextTokens) ?? Infinity);
  const limit = Math.min(...limits, (contextTokens ?? Infinity) * 0.85);
  return { limit, target: limit * 0.8 };
}

/**
 * Replaces results before the kept part with stubs if `clears` is set, and clips new results, to which the model has
 * not answered yet, if the kept part exceeds `room`. Stubs and notes name `path`, the history file with the whole
 * results; without it they ask the model to call the tool again.
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

/** Returns the messages to drop and to keep by the option `keep`, without separating tool calls from their results. */
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
