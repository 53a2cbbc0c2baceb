import { isShallotError, ShallotError } from '@shallot/core';
import type { ChatModel } from '@shallot/core/model';
import type { SafeCut } from '@shallot/core/plugin';

import type { Job } from '../settings/workshop.ts';
import { askWriter } from './ask-writer.ts';
import {
  earlierSummary,
  renderMaterial,
  renderRemains,
  takeOldest,
  type Piece,
  type RemainsBudget,
} from './writer-input.ts';

/** A summary, and how it was made. */
export interface Summary {
  readonly text: string;
  /** The estimated number of tokens. */
  readonly tokens: number;
  /** The number of pieces in which the conversation was summarized. */
  readonly pieces: number;
  /** The id of the model that wrote it. */
  readonly model: string;
}

/** The share of the context to use; the rest allows for estimates that are too low. */
const usedShare = 0.8;
/** Shares of the context: for the summary, for kept messages of the user, and for other kept messages. */
const shares = { summary: 1 / 8, user: 1 / 4, others: 1 / 20 };
/** The tokens for other kept messages if the context size is unknown. */
const othersByDefault = 4000;
/** The least number of tokens for a summary or a piece, even in a small context. */
const smallest = 200;
/** The most attempts with smaller pieces after the model rejects one as too long. */
const maxOverflows = 4;
/** A summary below this number of tokens is never too long, even for few messages. */
const shortSummary = 500;

/**
 * Summarizes the dropped messages with a model that also sees the kept ones. If they do not fit its context, summarizes
 * them in pieces, oldest first, each together with the summary so far. @throws `summarization/NO_SUMMARY` for an empty
 * answer, `summarization/SUMMARY_TOO_LONG`, and the errors of the model
 */
export async function summarize(
  job: Job,
  { dropped, kept }: Pick<SafeCut, 'dropped' | 'kept'>,
): Promise<Summary> {
  const { shop, run, reason, request } = job;
  const model = shop.writer ?? request.model;
  const count = shop.tokens.text;
  const { input, maxTokens, room: free, ...budgets } = limitsFor(job, model);
  let remains = renderRemains(kept, count, budgets);
  let budget = input - count(remains) - count(shop.settings.prompt);
  let rest: readonly Piece[] = renderMaterial(dropped, count);
  let earlier = earlierSummary(dropped);
  let overflows = 0;
  for (let piece = 1; ;) {
    const room = Math.max(smallest, budget - count(earlier ?? ''));
    const { taken, rest: later } = takeOldest(rest, room);
    const progress = { reason, piece, pieces: piece + Math.ceil(sum(later) / room), model: model.id };
    if (overflows === 0) run.event('summarizing', progress);
    try {
      const text = await askWriter(job, model, {
        remains,
        earlier,
        conversation: taken,
        maxTokens,
        room: free === undefined ? undefined : free - count(shop.settings.prompt),
      });
      const tokens = count(text);
      if (later.length === 0) {
        requireShorter(tokens, shop.tokens.messages(dropped), model);
        return { text, tokens, pieces: piece, model: model.id };
      }
      run.event('summarized', { ...progress, tokens });
      [piece, earlier, rest, overflows] = [piece + 1, text, later, 0];
    } catch (error) {
      overflows += 1;
      if (!isShallotError(error, 'MODEL_CONTEXT_OVERFLOW') || overflows === maxOverflows) throw error;
      budget = count(earlier ?? '') + Math.min(room, count(taken)) / 2;
      const shown = count(remains) / 2;
      remains = renderRemains(kept, count, { user: shown, others: Math.min(budgets.others, shown) });
    }
  }
}

interface Limits extends RemainsBudget {
  /** The input tokens of one request. */
  readonly input: number;
  /** The output tokens of one request. */
  readonly maxTokens: number;
  /** The tokens of the writer's context; undefined if they are not known. */
  readonly room: number | undefined;
}

function limitsFor({ shop, sizes, reason, extent }: Job, model: ChatModel): Limits {
  // If the run's model rejected a request as too long, assume that a model of unknown context does, too.
  const atMost = reason === 'overflow' ? extent.tokens / 2 : Infinity;
  const { contextTokens = atMost, outputTokens = Infinity } = model.limits ?? {};
  // The summary must also leave room in the context of the run's model.
  const smaller = Math.min(contextTokens, sizes.contextTokens ?? Infinity);
  const longest = Math.min(shop.settings.maxSummaryTokens, outputTokens, smaller * shares.summary);
  const maxTokens = Math.max(smallest, Math.floor(longest));
  return {
    maxTokens,
    room: Number.isFinite(contextTokens) ? contextTokens : undefined,
    input: contextTokens * usedShare - maxTokens,
    user: contextTokens * shares.user,
    others: Math.min(othersByDefault, contextTokens * shares.others),
  };
}

function sum(pieces: readonly Piece[]): number {
  return pieces.reduce((total, { tokens }) => total + tokens, 0);
}

function requireShorter(after: number, before: number, { id }: ChatModel): void {
  if (after <= shortSummary || after < before) return;
  throw new ShallotError('summarization/SUMMARY_TOO_LONG', {
    message: `The model ${id} wrote a summary of ${after} tokens about ${before} tokens of messages. Try another model or prompt for summaries.`,
  });
}
