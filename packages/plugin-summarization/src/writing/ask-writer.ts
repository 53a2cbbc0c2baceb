import { ShallotError, textOf } from '@shallot/core';
import type { ChatModel, ModelResponse } from '@shallot/core/model';

import { requestFor } from '../settings/prompts.ts';
import type { Job } from '../settings/workshop.ts';
import { source } from './summary-message.ts';
import { writerInput } from './writer-input.ts';

/** The input for one summary, and its maximum length. */
export interface Assignment {
  readonly remains: string;
  readonly earlier: string | undefined;
  readonly conversation: string;
  readonly maxTokens: number;
  /** The tokens that are free for input and output together; undefined if that is not known. */
  readonly room: number | undefined;
}

/** The requested words per available token; low, because models exceed the requested length. */
const wordsPerToken = 0.35;
/** The tolerance for estimates that are too high. */
const tolerance = 1.2;

/**
 * Requests a summary from a model. If it is cut off, requests a shorter one, with all available room for the reasoning of
 * the model. If that is cut off, too, uses its beginning. @throws `summarization/NO_SUMMARY`,
 * `summarization/SUMMARY_TOO_LONG`
 */
export async function askWriter(job: Job, model: ChatModel, assignment: Assignment): Promise<string> {
  const { maxTokens } = assignment;
  const words = Math.ceil((maxTokens * wordsPerToken) / 10) * 10;
  for (const wasCut of [false, true]) {
    const request = requestFor(wasCut ? Math.ceil(words / 2) : words, job.focus, wasCut);
    const input = writerInput({ ...assignment, request });
    const response = await ask(
      job,
      model,
      input,
      wasCut ? mostTokens(job, model, assignment, input) : maxTokens,
    );
    const summary = summaryIn(response);
    const size = job.shop.tokens.text(summary);
    const isCut = response.finish === 'length' || size > maxTokens * tolerance;
    if (isCut && wasCut && summary !== '') return beginningOf(summary, Math.min(1, maxTokens / size));
    if (isCut) continue;
    if (summary !== '' && response.finish !== 'content-filter') return summary;
    throw new ShallotError('summarization/NO_SUMMARY', {
      message: `The model ${model.id} returned no text (${response.finish}) when asked for a summary. Try another model for summaries.`,
    });
  }
  throw new ShallotError('summarization/SUMMARY_TOO_LONG', {
    message: `The model ${model.id} was cut off twice before it had written anything of a summary: its reasoning takes all the room. Raise maxSummaryTokens, or try another model for summaries.`,
  });
}

/**
 * Returns the output tokens of a second attempt: the rest of the context, or four times the limit if the context size
 * is unknown.
 */
function mostTokens(
  { shop }: Job,
  { limits }: ChatModel,
  { maxTokens, room }: Assignment,
  input: string,
): number {
  const free = room === undefined ? maxTokens * 4 : room - shop.tokens.text(input) * tolerance;
  return Math.max(maxTokens, Math.floor(Math.min(free, limits?.outputTokens ?? Infinity)));
}

/** Returns the beginning of a summary: its first sections say what was asked for, and what comes next. */
function beginningOf(summary: string, share: number): string {
  return `${summary.slice(0, Math.floor(summary.length * share)).toWellFormed()}\n[The summary was cut off here.]`;
}

/** Returns the text of a response without the `<summary>` tags that some models add. */
function summaryIn({ message }: ModelResponse): string {
  const text = textOf(message).trim();
  return (/^<summary>(.*)<\/summary>$/s.exec(text)?.[1] ?? text).trim();
}

async function ask(
  { shop, request: { settings }, run, signal }: Job,
  model: ChatModel,
  input: string,
  maxTokens: number,
): Promise<ModelResponse> {
  const { prompt, timeoutMs } = shop.settings;
  const late = new AbortController();
  const timer = setTimeout(
    () =>
      late.abort(
        new ShallotError('summarization/NO_SUMMARY', {
          message: `The model ${model.id} returned no summary within ${timeoutMs} ms. Raise timeoutMs, or use a faster model for summaries.`,
        }),
      ),
    timeoutMs,
  );
  try {
    return await shop.generate(
      run,
      {
        model,
        instructions: prompt,
        messages: [{ id: 'summarization', role: 'user', content: [{ type: 'text', text: input }], source }],
        settings: { ...settings, maxOutputTokens: maxTokens },
      },
      { purpose: 'summarization', signal: AbortSignal.any([signal, late.signal]) },
    );
  } finally {
    clearTimeout(timer);
  }
}
