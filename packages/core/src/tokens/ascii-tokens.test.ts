import { estimateTokenCount } from 'tokenx';
import { expect, it } from 'vitest';

import { promisedSamples } from '../../test/token-samples.ts';
import { asciiTokens } from './ascii-tokens.ts';

/** Pseudo-random numbers from 0 to 1. */
function* numbers(seed: number): Generator<number, never> {
  for (let state = seed; ;) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    yield state / 2_147_483_648;
  }
}

const printable = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).join('');

it.each(['ab 1', "aB3'_-./ \n\t\r,", 'abcdefgh  ', '01 ', ' \n.', 'aZ0/+= ', `${printable}\n\t`])(
  'counts as tokenx does in texts of %j',
  (alphabet) => {
    const random = numbers(alphabet.length);
    for (let count = 0; count < 2000; count += 1) {
      const length = Math.floor(random.next().value * 40);
      const text = Array.from({ length }, () =>
        alphabet.charAt(Math.floor(random.next().value * alphabet.length)),
      ).join('');
      expect([text, asciiTokens(text)]).toEqual([text, estimateTokenCount(text)]);
    }
  },
);

it('counts as tokenx does in code and prose', () => {
  const samples = promisedSamples().flatMap(({ text }) => (/^[\n\r\t -~]*$/.test(text) ? [text] : []));
  expect(samples.length).toBeGreaterThan(3);
  for (const text of samples) expect(asciiTokens(text)).toBe(estimateTokenCount(text));
});

it.each(['naïve', '日本語', 'a\0b', '\u007F', 'tail 😀', '\v'])('counts nothing in %j', (text) => {
  expect(asciiTokens(text)).toBeUndefined();
});
