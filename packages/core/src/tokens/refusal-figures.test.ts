import { expect, it } from 'vitest';

import { modelError } from '../contract/model-error.ts';
import { refusalFigures } from './refusal-figures.ts';

it.each([
  ['prompt is too long: 210000 tokens > 200000 maximum', 210_000, 200_000],
  ["This model's maximum context length is 4096 tokens. However, you requested 5000 tokens", 5000, 4096],
  [
    "This model's maximum context length is 8192 tokens. However, you requested 9100 tokens (8100 in the messages, 1000 in the completion).",
    9100,
    8192,
  ],
  [
    'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    1_200_000,
    1_048_576,
  ],
  [
    'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
    40_000,
    32_768,
  ],
  ['Your input of 1,310,720 tokens exceeds the context window of 1,000,000 tokens.', 1_310_720, 1_000_000],
  ['Too many tokens: 999 of 100', 999, 100],
  ['900 and 900 tokens of 800', 900, 800],
])('the figures of a refusal are read: %s', (message, tokens, limit) => {
  expect(refusalFigures(modelError('MODEL_CONTEXT_OVERFLOW', { message }))).toEqual({ tokens, limit });
});

it.each([
  ['one figure', modelError('MODEL_CONTEXT_OVERFLOW', { message: 'The maximum is 8192 tokens.' })],
  ['no figure', modelError('MODEL_CONTEXT_OVERFLOW', { message: 'Too many tokens.' })],
  ['figures of something else', modelError('MODEL_CONTEXT_OVERFLOW', { message: '9000 bytes of 8000.' })],
  ['ids', modelError('MODEL_CONTEXT_OVERFLOW', { message: 'Too many tokens: req-00012345, v1.2000, a9000' })],
  ['one figure twice', modelError('MODEL_CONTEXT_OVERFLOW', { message: '8192 tokens, not 8192.' })],
  ['figures of two digits', modelError('MODEL_CONTEXT_OVERFLOW', { message: '99 tokens of 98' })],
  ['another error', modelError('MODEL_BAD_REQUEST', { message: '9000 tokens > 8000' })],
  ['no error of ours', new Error('9000 tokens > 8000')],
])('there is nothing to read in %s', (_, error) => {
  expect(refusalFigures(error)).toBeUndefined();
});
