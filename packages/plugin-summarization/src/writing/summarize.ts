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

/** A summary, and how it came about. */
export interface Summary {
  readonly text: string;
  /** About how many tokens it has. */
  readonly tokens: number;
  /** In how many pieces the conversation was summarised. */
  readonly pieces: number;
  /** The model that wrote it. */
  readonly model: string;
}

/** How much of the context is used: the rest is for estimates that are too low. */
const usedShare = 0.8;
/** How much of the context a summary may take, and what is shown of what stays: of the user's messages, of all others. */
const shares = { summary: 1 / 8, user: 1 / 4, others: 1 / 20 };
/** How much is shown of what stays when the context is unknown, but for the user's messages. */
const othersByDefault = 4000;
/** A summary may always have as many tokens, and a piece, however small the context is. */
const smallest = 200;
/** How often less is given at once because the model finds it too long. */
const maxOverflows = 4;
/** A summary of this many tokens is never too long, however short the messages were. */
const shortSummary = 500;

/**
 * A summary of what goes, by a model that also sees what stays. What does not fit is summarised in pieces, oldest first,
 * each with the summary so far.
 * @throws `summarization/NO_SUMMARY` for an answer that is none, `summarization/SUMMARY_TOO_LONG`, and whatever the
 * model threw
 */
export async function summarize(
  job: Job,
  { dropped, kept }: Pick<SafeCut, 'dropped' | 'kept'>,
): Promise<Summary> {
  const { shop, run, reason, request } = job;
  const model = shop.writer ?? request.model;
  const count = shop.tokens.text;
  const { input, maxTokens, ...budgets } = limitsFor(job, model);
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
      const text = await askWriter(job, model, { remains, earlier, conversation: taken, maxTokens });
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
  /** For everything that a model is given at once. */
  readonly input: number;
  /** For its answer. */
  readonly maxTokens: number;
}

function limitsFor({ shop, sizes, reason, extent }: Job, model: ChatModel): Limits {
  // What was too long for the model of the run is too long for this one, if that is all that is known.
  const atMost = reason === 'overflow' ? extent.tokens / 2 : Infinity;
  const { contextTokens = atMost, outputTokens = Infinity } = model.limits ?? {};
  // A summary has to leave room in the context of the agent, whoever writes it.
  const smaller = Math.min(contextTokens, sizes.contextTokens ?? Infinity);
  const longest = Math.min(shop.settings.maxSummaryTokens, outputTokens, smaller * shares.summary);
  const maxTokens = Math.max(smallest, Math.floor(longest));
  return {
    maxTokens,
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
