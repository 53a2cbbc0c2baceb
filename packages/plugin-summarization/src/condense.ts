import type { Message, RunInfo } from '@shallot/core';
import type { ModelRequest } from '@shallot/core/model';
import { safeCut, type SafeCut } from '@shallot/core/plugin';

import { hasNew, replaceBySummary, type Replaced } from './replace-by-summary.ts';
import { sizesFor } from './settings/options.ts';
import {
  holdOff,
  isDue,
  reaches,
  remember,
  type Job,
  type Reason,
  type Workshop,
} from './settings/workshop.ts';
import {
  cutOf,
  roomOf,
  shortenResults,
  type Draft,
  type Room,
  type Shortened,
} from './shortening/shorten.ts';
import { keepTruncated, truncateOld, type Truncated } from './truncate-old.ts';
import { keepHistory } from './writing/keep-history.ts';

/** The share of a request that clearing results must free; otherwise a summary is made. */
const worthwhileShare = 0.2;

/** Condenses the history of a request if it has reached a trigger size. Returns undefined if nothing changed. */
export async function condenseIfDue(
  shop: Workshop,
  request: ModelRequest,
  run: RunInfo,
  agentContext: number | undefined,
): Promise<readonly Message[] | undefined> {
  const job = newJob(shop, request, run, 'size', agentContext);
  const { hold } = shop.memory.get(run);
  const truncates = shop.settings.truncateArguments !== null && reaches(job, job.sizes.truncation.trigger);
  if (!truncates && !isDue(job)) {
    if (hold !== null) remember(shop, run, { hold: null });
    return undefined;
  }
  if (hold !== null && job.extent.tokens < hold) return undefined;
  const truncated: Truncated = truncates ? truncateOld(job) : { ...untouched(job), changed: 0 };
  if (isDue(job, job.extent.tokens - truncated.saved)) return makeRoom(job, truncated, roomOf(job));
  return truncated.changed === 0 ? undefined : keepTruncated(job, truncated);
}

/** Condenses the history of a request at the model's request. */
export async function condenseRequested(
  shop: Workshop,
  request: ModelRequest,
  run: RunInfo,
  focus: string | undefined,
  agentContext: number | undefined,
): Promise<Replaced> {
  const job = { ...newJob(shop, request, run, 'requested', agentContext), focus };
  return replaceBySummary(job, cutOf(job, request.messages), untouched(job));
}

/**
 * Condenses the history of a session after the model rejected the request as too long. Uses the token counts of
 * `refusal`, if it has any. Returns undefined if the history cannot be shortened. Only the session's messages are
 * condensed; outer layers may have added others to the request.
 */
export async function condenseNow(
  shop: Workshop,
  request: ModelRequest,
  { run, signal }: { readonly run: RunInfo; readonly signal: AbortSignal },
  agentContext: number | undefined,
  refusal: unknown,
): Promise<readonly Message[] | undefined> {
  const figures = shop.meter.refused(request, run, refusal);
  if (figures !== undefined) remember(shop, run, { contextTokens: figures.limit });
  const job = { ...newJob(shop, request, run, 'overflow', agentContext), signal };
  const { contextTokens } = job.sizes;
  // The estimate was too low by an unknown amount.
  const limit =
    contextTokens === undefined ? job.extent.tokens * 0.5 : Math.min(contextTokens, job.extent.tokens) * 0.7;
  return makeRoom(job, untouched(job), { limit, target: limit });
}

function newJob(
  shop: Workshop,
  request: ModelRequest,
  run: RunInfo,
  reason: Reason,
  agentContext: number | undefined,
): Job {
  const named = shop.memory.get(run).contextTokens ?? undefined;
  const sizes = sizesFor(shop.settings, request.model.limits?.contextTokens ?? agentContext ?? named);
  const measure = reason === 'overflow' ? shop.meter.remeasure : shop.meter.measure;
  const extent = { messages: request.messages.length, tokens: measure(request, run) };
  return { shop, run, request, reason, sizes, extent, signal: run.signal };
}

function untouched({ request: { messages } }: Job): Draft {
  return { messages, truncatedTo: 0, saved: 0 };
}

/**
 * Clears old results and clips large new ones; makes a summary if that is not enough. Returns undefined if nothing
 * worthwhile was gained.
 */
async function makeRoom(job: Job, draft: Draft, room: Room): Promise<readonly Message[] | undefined> {
  const { shortened, path, keeps } = await keepShortened(job, draft, room);
  const { saved, cleared, clipped } = shortened;
  const left = job.extent.tokens - saved;
  const isWorthwhile = saved >= job.extent.tokens * worthwhileShare;
  const isEnough = job.reason === 'overflow' ? left <= room.limit : !isDue(job, left);
  if (cleared + clipped > 0 && isWorthwhile && isEnough) return takeShortened(job, shortened, path);
  const cut = summaryCut(job, draft, clipped > 0);
  const { messages } = await replaceBySummary(job, cut, shortened, keeps);
  if (messages !== undefined) return messages;
  // Without a summary, a partial gain is better than none, and clipped results must not stay too large.
  if (clipped > 0 || (cleared > 0 && isWorthwhile)) return takeShortened(job, shortened, path);
  return undefined;
}

/**
 * Returns the cut for a summary. After an overflow, it drops more than usual if everything old is already condensed.
 */
function summaryCut(job: Job, { messages }: Draft, isClipped: boolean): SafeCut {
  const cut = cutOf(job, messages);
  if (job.reason !== 'overflow' || hasNew(cut)) return cut;
  const wider = safeCut(messages, messages.length - 1);
  return hasNew(wider) || isClipped ? wider : safeCut(messages, messages.length);
}

interface Kept {
  readonly shortened: Shortened;
  readonly path: string | undefined;
  /** False if writing the history file has failed. */
  readonly keeps: boolean;
}

/** Shortens results after saving the whole ones in the history file. If that fails, old results are not cleared. */
async function keepShortened(job: Job, draft: Draft, room: Room): Promise<Kept> {
  const expected = await job.shop.historyPath?.(job.run);
  const shortened = shortenResults(job, draft, expected, room);
  if (expected === undefined || shortened.cleared + shortened.clipped === 0) {
    return { shortened, path: undefined, keeps: true };
  }
  const path = await keepHistory(job, shortened.to, 'Cleared');
  if (path !== undefined) return { shortened, path, keeps: true };
  return { shortened: shortenResults(job, draft, undefined, room, false), path, keeps: false };
}

function takeShortened(job: Job, shortened: Shortened, path: string | undefined): readonly Message[] {
  const { shop, run, request, extent } = job;
  const { messages, truncatedTo, cleared, clipped } = shortened;
  const after = shop.meter.remeasure({ ...request, messages }, run);
  if (truncatedTo > 0) remember(shop, run, { truncated: messages[truncatedTo - 1]?.id ?? null });
  if (isDue(job, after)) holdOff(job, after);
  else remember(shop, run, { hold: null });
  run.event('cleared', {
    reason: job.reason,
    results: cleared,
    clipped,
    tokensBefore: extent.tokens,
    tokensAfter: after,
    ...(path === undefined ? {} : { path }),
  });
  return messages;
}
