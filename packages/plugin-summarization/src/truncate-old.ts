import type { Message } from '@shallot/core';

import { holdOff, remember, type Job } from './settings/workshop.ts';
import { keepIndex, type Draft } from './shortening/shorten.ts';
import { truncateArguments } from './shortening/truncate-arguments.ts';
import { keepHistory } from './writing/keep-history.ts';

/** A draft with truncated arguments, and the number of changed messages. */
export interface Truncated extends Draft {
  readonly changed: number;
}

/** Truncates arguments in messages that were not checked before. */
export function truncateOld(job: Job): Truncated {
  const { shop, run, request, sizes } = job;
  const { messages } = request;
  const rules = shop.settings.truncateArguments;
  const untouched = { messages, truncatedTo: 0, saved: 0, changed: 0 };
  if (rules === null) return untouched;
  const to = keepIndex(job, sizes.truncation.keep, messages);
  const { truncated } = shop.memory.get(run);
  const from = messages.findLastIndex(({ id }) => id === truncated) + 1;
  if (to <= from) return untouched;
  const shorter = truncateArguments(messages, from, to, rules);
  if (shorter.changed === 0) {
    remember(shop, run, { truncated: messages[to - 1]?.id ?? null });
    return untouched;
  }
  const { tokens, meter } = shop;
  const saved = tokens.messages(messages.slice(from, to)) - tokens.messages(shorter.messages.slice(from, to));
  return { ...shorter, truncatedTo: to, saved: saved * meter.scale(run) };
}

/** Commits a truncation that freed enough, after saving the messages in the history file; discards it if that fails. */
export async function keepTruncated(
  job: Job,
  { messages, changed, truncatedTo }: Truncated,
): Promise<readonly Message[] | undefined> {
  const { shop, run, request, extent } = job;
  const path = await keepHistory(job, truncatedTo, 'Truncated');
  if (path === undefined && shop.settings.historyDirectory !== null) {
    holdOff(job);
    return undefined;
  }
  remember(shop, run, { truncated: messages[truncatedTo - 1]?.id ?? null, hold: null });
  const after = shop.meter.remeasure({ ...request, messages }, run);
  run.event('truncated', {
    messages: changed,
    tokensBefore: extent.tokens,
    tokensAfter: after,
    ...(path === undefined ? {} : { path }),
  });
  return messages;
}
