import { type Message, ShallotError } from '@shallot/core';
import { isInterrupt, reasonOf, safeCut, type SafeCut } from '@shallot/core/plugin';

import {
  growthToWait,
  holdOff,
  isDue,
  reaches,
  remember,
  type Job,
  type Remembered,
} from './settings/workshop.ts';
import type { Draft, Shortened } from './shortening/shorten.ts';
import { keepHistory } from './writing/keep-history.ts';
import { summarize, type Summary } from './writing/summarize.ts';
import { source, summaryMessage } from './writing/summary-message.ts';
import { withoutWriter } from './writing/without-writer.ts';

/** The share of a request that a summary must free, unless the request is too long for the model. */
const minFreedShare = 0.2;

/** The share of the context that may be used as long as sizes are only estimated. */
const estimatedShare = 0.9;

/** A history with a summary, if one was made, and a sentence about the outcome for the model. */
export interface Replaced {
  readonly messages: readonly Message[] | undefined;
  readonly said: string;
}

/**
 * Replaces `cut.dropped` with a summary, after saving it in the history file. The kept messages are those of the draft.
 * `keeps` is false if writing the file has failed already.
 */
export async function replaceBySummary(
  job: Job,
  cut: SafeCut,
  draft: Draft & Partial<Pick<Shortened, 'to' | 'clippedTokens'>>,
  keeps = true,
): Promise<Replaced> {
  const { dropped } = cut;
  if (!hasNew(cut)) return nothing('there is nothing old enough');
  if (job.reason !== 'overflow' && !canFree(job, dropped, draft.clippedTokens ?? 0)) {
    if (job.reason === 'size') holdOff(job);
    return nothing('what is old takes less than a fifth of the conversation');
  }
  const { kept } = safeCut(draft.messages, cut.at);
  const to = Math.max(cut.at, draft.truncatedTo, draft.to ?? 0);
  const path = keeps ? await keepHistory(job, to, 'Summarized') : undefined;
  const isLast = isLastChance(job);
  const made = await summaryOf(job, { dropped, kept }, isLast);
  if ('failure' in made && !isLast) return nothing(`the summary failed: ${made.failure}`);
  const summary = 'failure' in made ? withoutWriter(job, cut) : made;
  return insertSummary(job, { ...summary, path, kept, dropped, truncatedTo: draft.truncatedTo });
}

/** Returns true if the request has to become shorter now: it was refused, or is too long before the next attempt. */
function isLastChance({ shop, run, reason, sizes, extent }: Job): boolean {
  if (reason === 'overflow') return true;
  const room = (sizes.contextTokens ?? Infinity) * (shop.meter.isReported(run) ? 1 : estimatedShare);
  return reason === 'size' && extent.tokens * growthToWait > room;
}

function nothing(why: string): Replaced {
  return { messages: undefined, said: `Nothing was condensed: ${why}.` };
}

interface Insertion extends Summary, Pick<SafeCut, 'kept' | 'dropped'> {
  readonly path: string | undefined;
  readonly truncatedTo: number;
}

function insertSummary(job: Job, insertion: Insertion): Replaced {
  const { shop, run, request, extent } = job;
  const { text, pieces, model, tokens, path, kept, dropped, truncatedTo } = insertion;
  const id = `summary-${dropped.at(-1)?.id ?? ''}`;
  const leading = kept.findIndex(({ role }) => role !== 'system');
  const at = leading === -1 ? kept.length : leading;
  const messages = [
    ...kept.slice(0, at),
    summaryMessage(id, text, path, shop.settings.message),
    ...kept.slice(at),
  ];
  const after = shop.meter.remeasure({ ...request, messages }, run);
  remember(shop, run, {
    ...(truncatedTo > 0 ? { truncated: request.messages[truncatedTo - 1]?.id ?? null } : {}),
    ...(path === undefined ? {} : offloadedUpTo(job, messages, id)),
    hold: null,
  });
  // The kept part alone reaches a trigger size: condensing again at the next step would not help.
  if (isDue({ ...job, extent: { messages: messages.length, tokens: after } })) holdOff(job, after);
  run.event('summarized', {
    reason: job.reason,
    piece: pieces,
    pieces,
    model,
    tokens,
    dropped: dropped.length,
    kept: kept.length,
    tokensBefore: extent.tokens,
    tokensAfter: after,
    ...(path === undefined ? {} : { path }),
  });
  const where = path === undefined ? '' : ` All of them, word for word, are in the file ${path}.`;
  return {
    messages,
    said: `${dropped.length} earlier messages were replaced by a summary of about ${tokens} tokens.${where}`,
  };
}

/**
 * Returns the state of the history file for the new history. The last message in the file is the summary, or a kept message
 * after it. An empty object without a file.
 */
function offloadedUpTo(
  { shop, run, request }: Job,
  messages: readonly Message[],
  summary: string,
): Partial<Remembered> {
  const { offloaded } = shop.memory.get(run);
  if (offloaded === null) return {};
  // The file may contain more than the condensed messages, if results of kept ones were clipped.
  const end = request.messages.findIndex(({ id }) => id === offloaded.last) + 1;
  const written = new Set(request.messages.slice(0, end).map(({ id }) => id));
  const last = messages.findLast(({ id, role }) => role !== 'system' && written.has(id))?.id ?? summary;
  return { offloaded: { ...offloaded, last } };
}

/**
 * Returns the summary, or the reason why there is none. @throws `summarization/SUMMARY_FAILED` with `onFailure: 'throw'`,
 * and the errors of an abort or an interrupt
 */
async function summaryOf(
  job: Job,
  material: Pick<SafeCut, 'dropped' | 'kept'>,
  isLast: boolean,
): Promise<Summary | { readonly failure: string }> {
  const { shop, run, signal, extent } = job;
  try {
    return await summarize(job, material);
  } catch (error) {
    if (signal.aborted || isInterrupt(error)) throw error;
    const failure = reasonOf(error);
    if (shop.settings.onFailure === 'throw') {
      throw new ShallotError('summarization/SUMMARY_FAILED', {
        message: `The conversation has come to ${extent.tokens} tokens, and its summary failed: ${failure}.`,
        cause: error,
      });
    }
    if (!isLast) holdOff(job);
    const outcome = isLast
      ? 'Its older messages were left out without one, because it is too long for the model.'
      : 'It stays as it is, and the next attempt is made when it has grown by 10 %.';
    run.warn('SUMMARY_FAILED', `The conversation could not be summarized: ${failure}. ${outcome}`);
    return { failure };
  }
}

/**
 * Returns true if a summary would free enough to be worth its cost, in tokens or messages, depending on the trigger.
 */
function canFree(job: Job, dropped: readonly Message[], clippedTokens: number): boolean {
  const { shop, run, extent, sizes, reason } = job;
  const going = dropped.filter((message) => message.source !== source);
  const freed = shop.tokens.messages(going) * shop.meter.scale(run);
  if (freed >= (extent.tokens - clippedTokens) * minFreedShare) return true;
  const isForMessages = sizes.trigger.some((size) => 'messages' in size && reaches(job, size));
  return reason === 'size' && isForMessages && going.length >= extent.messages * minFreedShare;
}

/** Returns true if the dropped part contains other messages than earlier summaries. */
export function hasNew({ dropped }: Pick<SafeCut, 'dropped'>): boolean {
  return dropped.some((message) => message.source !== source);
}
