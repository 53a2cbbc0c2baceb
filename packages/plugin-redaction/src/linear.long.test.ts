import { expect, it } from 'vitest';

import { redactionOf } from '../test/cuts.ts';

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

it('prints how much it reads in a second', async ({ annotate }) => {
  const letter =
    'Dear Ms Example, thank you for order 4711-2024 of 12 March; write to anna@example.org or call +49 30 1234567 until 17:30. ';
  const text = letter.repeat(Math.ceil(100_000 / letter.length));
  const fastest = Math.min(...Array.from({ length: 20 }, () => timeOf(text)));
  await annotate(`${(text.length / 1000 / fastest).toFixed(1)} MB/s with all detectors`);
  expect(redaction.text(text)).not.toContain('anna@');
});

/** Measures processor time: other users of the machine count less. */
function timeOf(text: string): number {
  const start = process.cpuUsage();
  redaction.text(text);
  return Math.max(process.cpuUsage(start).user / 1000, 0.1);
}
