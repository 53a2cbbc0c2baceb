import { definePlugin, textOf } from '@shallot/core';
import * as v from 'valibot';

import manifest from '../package.json' with { type: 'json' };

const optionsSchema = v.strictObject({
  limit: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
});

/** The options: `limit` is the number of words above which an answer counts as long. Default: no limit. */
export type WordCountOptions = v.InferInput<typeof optionsSchema>;

/**
 * Counts the words that the model writes. At the end of a run it emits the event `words` with `{ answer, session,
 * limit?, long? }`: the words of the answer, and of all answers in this session.
 */
export default definePlugin({
  name: 'word-count',
  version: manifest.version,
  api: manifest.shallot.api,
  options: optionsSchema,
  setup({ options: { limit }, hooks, state }) {
    // An agent serves many sessions at once, so the count is kept in the session, not in a variable.
    const written = state<number>({ key: 'written', initial: () => 0 });

    hooks.afterModel.tap('count', ({ message }, run) => {
      written.update(run, (words) => words + countWords(textOf(message)));
    });

    hooks.afterAgent.tap('report', (result, run) => {
      if (result.outcome !== 'completed') return;
      const answer = countWords(result.text);
      const ofLimit = limit === undefined ? {} : { limit, long: answer > limit };
      run.event('words', { answer, session: written.get(run), ...ofLimit });
    });
  },
});

/** Counts the words of a text by the rules of Unicode, in any script. */
export function countWords(text: string): number {
  let words = 0;
  for (const { isWordLike } of segmenter.segment(text)) if (isWordLike) words += 1;
  return words;
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });
