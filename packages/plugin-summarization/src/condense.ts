import { ShallotError, type Message, type RunInfo } from '@shallot/core';
import type { ModelRequest } from '@shallot/core/model';
import { isInterrupt, reasonOf, safeCut, type SafeCut } from '@shallot/core/plugin';

import { appendHistory, historyPath } from './offload.ts';
import { sizesFor } from './options.ts';
import { indexToKeep, isReached, type Extent, type Size } from './size.ts';
import { summarize } from './summarize.ts';
import { source, summaryMessage } from './summary-message.ts';
import { truncateArguments, type Truncation } from './truncate-arguments.ts';
import { remember, type Job, type Remembered, type Workshop } from './workshop.ts';

/** How much a conversation has to grow after a failure, before another attempt. */
const growthAfterFailure = 1.1;

/** Condenses the history of a request if it is due, or if it was asked for. Undefined when nothing is changed. */
export async function condenseIfDue(
  shop: Workshop,
  request: ModelRequest,
  run: RunInfo,
  isRequested: boolean,
  agentContext: number | undefined,
): Promise<readonly Message[] | undefined> {
  const { settings, meter, memory } = shop;
  const sizes = sizesFor(settings, request.model.limits?.contextTokens ?? agentContext);
  const { contextTokens, trigger, truncation } = sizes;
  const extent: Extent = { messages: request.messages.length, tokens: meter.measure(request, run) };
  const reaches = (size: Size, tokens = extent.tokens): boolean =>
    isReached(size, { ...extent, tokens }, contextTokens);
  const { hold } = memory.get(run);
  const truncates = settings.truncateArguments !== null && reaches(truncation.trigger);
  if (!isRequested && !truncates && !trigger.some((size) => reaches(size))) {
    if (hold !== null) remember(shop, run, { hold: null });
    return undefined;
  }
  if (!isRequested && hold !== null && extent.tokens < hold) return undefined;

  const job: Job = { shop, run, request, sizes, extent, signal: run.signal };
  const truncated = truncates ? truncateOld(job) : undefined;
  const messages = truncated?.messages ?? request.messages;
  const saved = (truncated?.saved ?? 0) * meter.scale(run);
  if (isRequested || trigger.some((size) => reaches(size, extent.tokens - saved))) {
    const cut = cutOf(job, messages);
    if (hasNew(cut))
      return replaceBySummary(job, messages, cut, truncated?.to ?? 0, isRequested ? 'requested' : 'size');
  }
  if (truncated === undefined || truncated.changed === 0) return undefined;
  return keepTruncated(job, truncated);
}

/** Condenses the history of a session whose request the model found too long. Undefined when it cannot be shortened. */
export async function condenseNow(
  shop: Workshop,
  request: ModelRequest,
  run: RunInfo,
  signal: AbortSignal,
  agentContext: number | undefined,
): Promise<readonly Message[] | undefined> {
  const sizes = sizesFor(shop.settings, request.model.limits?.contextTokens ?? agentContext);
  // What layers further out have put into the request for this call alone is not the session's.
  const own = { ...request, messages: run.messages };
  const extent = { messages: own.messages.length, tokens: shop.meter.remeasure(own, run) };
  const job: Job = { shop, run, request: own, sizes, extent, signal };
  const cut = cutOf(job, own.messages);
  // When all that is old is condensed already, what is new has to be.
  const wider = hasNew(cut) ? cut : safeCut(own.messages, own.messages.length);
  return hasNew(wider) ? replaceBySummary(job, own.messages, wider, 0, 'overflow') : undefined;
}

type Reason = 'size' | 'requested' | 'overflow';

async function replaceBySummary(
  job: Job,
  messages: readonly Message[],
  cut: SafeCut,
  truncatedTo: number,
  reason: Reason,
): Promise<readonly Message[] | undefined> {
  const { shop, run, request, extent } = job;
  const to = Math.max(cut.at, truncatedTo);
  const path = await offload(job, to, 'Summarized');
  const summary = await summaryOf(job, cut.dropped);
  if (summary === undefined) return undefined;
  const id = `summary-${cut.dropped.at(-1)?.id ?? ''}`;
  const leading = cut.kept.findIndex(({ role }) => role !== 'system');
  const at = leading === -1 ? cut.kept.length : leading;
  const added = summaryMessage(id, summary, path, shop.settings.message);
  const condensed = [...cut.kept.slice(0, at), added, ...cut.kept.slice(at)];
  const after = shop.meter.remeasure({ ...request, messages: condensed }, run);
  const isStillDue = job.sizes.trigger.some((size) =>
    isReached(size, { messages: condensed.length, tokens: after }, job.sizes.contextTokens),
  );
  remember(shop, run, {
    // What stays is too long by itself: to condense at every step would not make it shorter.
    hold: isStillDue ? Math.ceil(after * growthAfterFailure) : null,
    ...(truncatedTo > 0 ? { truncated: request.messages[truncatedTo - 1]?.id ?? null } : {}),
    ...(path === undefined ? {} : offloadedUpTo(job, condensed, id)),
  });
  run.event('summarized', {
    reason,
    dropped: cut.dropped.length,
    kept: cut.kept.length,
    tokensBefore: extent.tokens,
    tokensAfter: after,
    ...(path === undefined ? {} : { path }),
  });
  return condensed;
}

/** Which message of the new history is the last that is in the file: the summary, or one after it that stays. */
function offloadedUpTo(
  { shop, run, request }: Job,
  condensed: readonly Message[],
  summary: string,
): Partial<Remembered> {
  const { offloaded } = shop.memory.get(run);
  if (offloaded === null) return {};
  // The file may go further than what was condensed: arguments were cut in what stays.
  const end = request.messages.findIndex(({ id }) => id === offloaded.last) + 1;
  const written = new Set(request.messages.slice(0, end).map(({ id }) => id));
  const last = condensed.findLast(({ id, role }) => role !== 'system' && written.has(id))?.id ?? summary;
  return { offloaded: { ...offloaded, last } };
}

/** The summary, or undefined when it failed and the history is to stay as it is. */
async function summaryOf(job: Job, dropped: readonly Message[]): Promise<string | undefined> {
  const { shop, run, request, signal, extent } = job;
  const { prompt, timeoutMs, onFailure } = shop.settings;
  const model = shop.writer ?? request.model;
  try {
    return await summarize(dropped, { ...shop, model, prompt, timeoutMs }, run, signal);
  } catch (error) {
    if (signal.aborted || isInterrupt(error)) throw error;
    if (onFailure === 'throw') {
      throw new ShallotError('summarization/SUMMARY_FAILED', {
        message: `The conversation has come to ${extent.tokens} tokens, and its summary failed: ${reasonOf(error)}.`,
        cause: error,
      });
    }
    remember(shop, run, { hold: Math.ceil(extent.tokens * growthAfterFailure) });
    run.warn(
      'SUMMARY_FAILED',
      `The conversation was not condensed, because its summary failed: ${reasonOf(error)}. It stays as it is, and the next attempt is made when it has grown by 10 %.`,
    );
    return undefined;
  }
}

/** Appends what is not in the history file yet, of all before an index. Undefined when there is no file. */
async function offload(job: Job, to: number, what: 'Summarized' | 'Truncated'): Promise<string | undefined> {
  const { shop, run, request } = job;
  const { historyDirectory } = shop.settings;
  if (historyDirectory === null) return undefined;
  const { offloaded } = shop.memory.get(run);
  const known = request.messages.findIndex(({ id }) => id === offloaded?.last);
  const messages = request.messages.slice(known + 1, to).filter((message) => message.source !== source);
  const path = historyPath(historyDirectory, run.sessionId);
  const title = `${what} at ${new Date().toISOString()}`;
  try {
    // What is not known by the session may be in the file all the same.
    const revision = known === -1 ? undefined : offloaded?.revision;
    const written = await appendHistory(
      run.files,
      path,
      { sessionId: run.sessionId, title, messages },
      revision,
    );
    const last = request.messages[Math.max(to - 1, known)]?.id ?? '';
    remember(shop, run, { offloaded: { last, revision: written } });
    return path;
  } catch (error) {
    run.warn(
      'OFFLOAD_FAILED',
      `${messages.length} messages could not be appended to ${path}: ${reasonOf(error)}.`,
    );
    return undefined;
  }
}

interface OldTruncated extends Truncation {
  /** Where the messages end that were looked at. */
  readonly to: number;
  /** The estimate of the tokens that were saved. */
  readonly saved: number;
}

function truncateOld(job: Job): OldTruncated | undefined {
  const { shop, run, request, sizes } = job;
  const rules = shop.settings.truncateArguments;
  if (rules === null) return undefined;
  const { messages } = request;
  const to = keepIndex(job, sizes.truncation.keep, messages);
  const { truncated } = shop.memory.get(run);
  const from = messages.findLastIndex(({ id }) => id === truncated) + 1;
  if (to <= from) return undefined;
  const truncation = truncateArguments(messages, from, to, rules);
  if (truncation.changed === 0) remember(shop, run, { truncated: messages[to - 1]?.id ?? null });
  const { tokens } = shop;
  const saved =
    tokens.messages(messages.slice(from, to)) - tokens.messages(truncation.messages.slice(from, to));
  return { ...truncation, to, saved };
}

/** Truncation was enough. What was cut is kept in the file; without it, nothing is cut. */
async function keepTruncated(
  job: Job,
  { messages, changed, to }: OldTruncated,
): Promise<readonly Message[] | undefined> {
  const { shop, run, request, extent } = job;
  const path = await offload(job, to, 'Truncated');
  if (path === undefined && shop.settings.historyDirectory !== null) {
    remember(shop, run, { hold: Math.ceil(extent.tokens * growthAfterFailure) });
    return undefined;
  }
  remember(shop, run, { truncated: messages[to - 1]?.id ?? null, hold: null });
  const after = shop.meter.remeasure({ ...request, messages }, run);
  run.event('truncated', {
    messages: changed,
    tokensBefore: extent.tokens,
    tokensAfter: after,
    ...(path === undefined ? {} : { path }),
  });
  return messages;
}

function cutOf(job: Job, messages: readonly Message[]): SafeCut {
  return safeCut(messages, keepIndex(job, job.sizes.keep, messages));
}

function keepIndex({ shop, run, sizes }: Job, keep: readonly Size[], messages: readonly Message[]): number {
  const scale = shop.meter.scale(run);
  return indexToKeep(keep, messages, (message) => shop.tokens.message(message) * scale, sizes.contextTokens);
}

/** Whether something goes that is not a summary itself. */
function hasNew({ dropped }: SafeCut): boolean {
  return dropped.some((message) => message.source !== source);
}
