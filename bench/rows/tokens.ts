import { estimateError, languageSamples, promisedSamples } from '../../packages/core/test/token-samples.ts';
import type { Figure, Row } from './row.ts';

const samples = { promised: promisedSamples(), languages: languageSamples() };

/** The row about the error of token estimates, which is the same on every machine. */
export const tokensRow: Row = {
  id: 'tokens',
  title: 'Percent by which estimates of tokens are off, against o200k_base',
  figures: Object.fromEntries(
    [...samples.promised, ...samples.languages].map(({ name, within }): [string, Figure] => [
      name,
      { label: name, kind: 'count', must: within * 100, proud: within * 50 },
    ]),
  ),
  measure: async () =>
    Object.fromEntries(
      [...samples.promised, ...samples.languages].map(({ name, text }) => [
        name,
        Math.round(Math.abs(estimateError(text)) * 100),
      ]),
    ),
};
