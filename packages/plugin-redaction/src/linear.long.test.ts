import { expect, it } from 'vitest';

import { redactionOf } from './test-cuts.ts';

const units = [
  'a',
  'a@',
  '1.1.',
  'a:b:',
  '12 34 ',
  'DE44 ',
  'token ',
  'https://x',
  '"password": "a ',
  'x@a.',
];
const redaction = redactionOf();

/** Eight times the text: what grows with its square takes 64 times as long. A busy machine may spoil a try. */
it.each(units)('a text of "%s" takes time in proportion to its length', { retry: 3 }, (unit) => {
  const texts = [50_000, 400_000].map((length) => unit.repeat(Math.ceil(length / unit.length)));
  const [short = 0, long = 0] = texts.map((text) => Math.min(...[1, 2, 3, 4, 5].map(() => timeOf(text))));
  expect(long / short).toBeLessThan(40);
});

function timeOf(text: string): number {
  const start = performance.now();
  redaction.text(text);
  return performance.now() - start;
}
