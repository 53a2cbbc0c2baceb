import { textOf } from '@shallot/core';
import { clipText, type SafeCut } from '@shallot/core/plugin';

import { isOfUser } from '../history/is-of-user.ts';
import type { Job } from '../settings/workshop.ts';
import type { Summary } from './summarize.ts';
import { earlierSummary } from './writer-input.ts';

/** The share of the context for the replacement of messages that could not be summarized. */
const share = 1 / 8;
/** The tokens for the replacement if the context size is unknown. */
const byDefault = 2000;

const opening = 'No summary of these messages could be written.';

/**
 * Returns a replacement for messages that have to be shortened although no model can summarize them: the earlier
 * summary, and the user's messages since.
 */
export function withoutWriter({ shop, sizes }: Job, { dropped }: Pick<SafeCut, 'dropped'>): Summary {
  const earlier = earlierSummary(dropped)
    ?.split('\n')
    .filter((line) => line !== opening)
    .join('\n');
  const asked = dropped.filter(isOfUser).map((message) => `The user said: ${textOf(message)}`);
  const all = [opening, ...(earlier === undefined ? [] : [earlier]), ...asked].join('\n');
  const maxTokens = Math.floor(sizes.contextTokens === undefined ? byDefault : sizes.contextTokens * share);
  const count = shop.tokens.text;
  const maxLength = Math.floor((all.length * maxTokens) / Math.max(maxTokens, count(all)));
  const text = clipText(all, maxLength, '\n[…]\n');
  return { text, tokens: count(text), pieces: 0, model: 'none' };
}
