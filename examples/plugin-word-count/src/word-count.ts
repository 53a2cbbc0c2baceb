import { definePlugin, textOf } from '@shallot/core';
import * as v from 'valibot';

import manifest from '../package.json' with { type: 'json' };

const optionsSchema = v.strictObject({
  limit: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
});

/** `limit`: the number of words above which an answer is called long; without it there is none. */
export type WordCountOptions = v.InferInput<typeof optionsSchema>;

/**
 * Counts the words of what the model writes, and says at the end of a run how many the answer has and how many the
 * model wrote in this session: the event `words`, with `{ answer, session, limit?, long? }`.
 */
export default definePlugin({
  name: 'word-count',
  version: manifest.version,
  api: manifest.shallot.api,
  options: optionsSchema,
  setup({ options: { limit }, hooks, state }) {
    // An agent serves many sessions at once: what is counted lives in the session, not in a variable.
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

/** Words as Unicode has them, in any script. */
export function countWords(text: string): number {
  let words = 0;
  for (const { isWordLike } of segmenter.segment(text)) if (isWordLike) words += 1;
  return words;
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });
