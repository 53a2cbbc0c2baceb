import { isShallotError, ShallotError, textOf, type Message, type RunInfo } from '@shallot/core';
import type { ChatModel, ModelResponse } from '@shallot/core/model';
import type { PluginSetup } from '@shallot/core/plugin';

import { request } from './prompts.ts';
import { renderMessage, type Detail } from './render-message.ts';
import { source } from './summary-message.ts';

/** What a summary is made with. */
export interface Summarizer {
  readonly generate: PluginSetup['generate'];
  readonly tokens: PluginSetup['tokens'];
  readonly model: ChatModel;
  readonly prompt: string;
  readonly timeoutMs: number;
}

/** What of the context is left for the answer, and for an estimate that is too low. */
const inputShare = 0.7;
/** How often the input is cut to a half when the model finds it too long. */
const maxAttempts = 4;
/** A summary of this many tokens is never too long, however short the messages were. */
const shortSummary = 500;

/**
 * A summary of messages, by a model. Its input is cut to what fits: all of it, else without what tools were given and
 * gave, else the most recent of that.
 * @throws `summarization/NO_SUMMARY` for an answer that is none, `summarization/SUMMARY_TOO_LONG`, and whatever the
 * model threw
 */
export async function summarize(
  messages: readonly Message[],
  summarizer: Summarizer,
  run: RunInfo,
  signal: AbortSignal,
): Promise<string> {
  const { tokens, model, prompt } = summarizer;
  const { contextTokens = Number.POSITIVE_INFINITY } = model.limits ?? {};
  let budget = contextTokens * inputShare - tokens.text(prompt);
  for (let attempt = 1; ; attempt += 1) {
    const input = fitInput(messages, tokens.text, budget);
    try {
      const response = await ask(summarizer, input, run, signal);
      return checkSummary(response, tokens.messages(messages), summarizer);
    } catch (error) {
      if (!isShallotError(error, 'MODEL_CONTEXT_OVERFLOW') || attempt === maxAttempts) throw error;
      budget = Math.min(budget, tokens.text(input)) / 2;
    }
  }
}

async function ask(
  { generate, model, prompt, timeoutMs }: Summarizer,
  input: string,
  run: RunInfo,
  signal: AbortSignal,
): Promise<ModelResponse> {
  const late = new AbortController();
  const timer = setTimeout(
    () =>
      late.abort(
        new ShallotError('summarization/NO_SUMMARY', {
          message: `The model ${model.id} gave no summary within ${timeoutMs} ms. Raise timeoutMs, or use a faster model for summaries.`,
        }),
      ),
    timeoutMs,
  );
  try {
    return await generate(
      run,
      {
        model,
        instructions: prompt,
        messages: [{ id: 'summarization', role: 'user', content: [{ type: 'text', text: input }], source }],
      },
      { purpose: 'summarization', signal: AbortSignal.any([signal, late.signal]) },
    );
  } finally {
    clearTimeout(timer);
  }
}

function checkSummary(response: ModelResponse, before: number, { model, tokens }: Summarizer): string {
  const summary = textOf(response.message).trim();
  if (summary === '' || response.finish === 'content-filter') {
    throw new ShallotError('summarization/NO_SUMMARY', {
      message: `The model ${model.id} answered with no text (${response.finish}) when it was asked for a summary. Try another model for summaries.`,
    });
  }
  const after = tokens.text(summary);
  if (after > shortSummary && after >= before) {
    throw new ShallotError('summarization/SUMMARY_TOO_LONG', {
      message: `The model ${model.id} wrote a summary of ${after} tokens about ${before} tokens of messages. Try another model or prompt for summaries.`,
    });
  }
  return summary;
}

/** The most of a conversation that fits into a number of tokens. A summary of what came before it always stays. */
function fitInput(messages: readonly Message[], count: (text: string) => number, budget: number): string {
  const details: readonly Detail[] = ['whole', 'without tool content'];
  for (const detail of details) {
    const input = wrap(messages.map((message) => renderMessage(message, detail)));
    if (count(input) <= budget) return input;
  }
  const isSummary = (message: Message): boolean => message.source === source;
  const before = messages.filter(isSummary).map((message) => renderMessage(message));
  const recent: string[] = [];
  let left = budget - count(wrap([...before, omission]));
  for (const message of messages.filter((each) => !isSummary(each)).toReversed()) {
    const text = renderMessage(message, 'without tool content');
    const size = count(text);
    if (size > left) {
      // Of the message that does not fit as a whole, its end.
      if (left > 0) recent.unshift(text.slice(-Math.floor((text.length * left) / size)));
      break;
    }
    recent.unshift(text);
    left -= size;
  }
  return wrap([...before, omission, ...recent]);
}

const omission = '(Some of the conversation is left out here.)';

function wrap(texts: readonly string[]): string {
  return `<conversation>\n${texts.join('\n\n')}\n</conversation>\n\n${request}`;
}
