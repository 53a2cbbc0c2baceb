import { expect, it } from 'vitest';

import { detectors } from './detectors.ts';

/** A match of each kind, and pieces that texts like it are made of. */
const samples: Readonly<Record<string, readonly string[]>> = {
  email: ['ann@example.org', 'ann', '@', '.', 'example', 'org', ' ', '-'],
  card: ['4111 1111 1111 1111', '4111', '1111', ' ', '-', '.', '378282246310005', '3782', '822463', '10005'],
  iban: ['DE89 3704 0044 0532 0130 00', 'DE89', '3704', '0044', '0532', '0130', '00', ' ', '-', 'GB29'],
  phone: ['+49 30 1234567', '+49', '030', '123', '45', '67', ' ', '(', ')', '-', '/', '.', 'tel '],
  ip: ['192.168.0.1', '2001:db8::1', '::', ':', '.', '10', '255', 'fe80', 'a', ' '],
  mac: ['00:1a:2b:3c:4d:5e', '001a.2b3c.4d5e', '00', '1a', ':', '-', '.', 'a2b3', ' '],
  url: ['https://example.org/a', 'http', '://', 'www.', 'WWW.', 'example.org', ' ', '/'],
};

it.each(detectors)('the sign of $kind is a part of each match', ({ kind, sign, find }) => {
  const pieces = samples[kind] ?? [];
  expect(find(` ${pieces[0]} `, 0)).toHaveLength(1);
  let state = 1;
  const random = (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
  let matches = 0;
  for (let count = 0; count < 5000; count += 1) {
    const text = Array.from({ length: random(14) }, () => pieces[random(pieces.length)]).join('');
    for (const { start, end } of find(text, 0)) {
      matches += 1;
      expect([text.slice(start, end), sign.test(text.slice(start, end))]).toEqual([
        text.slice(start, end),
        true,
      ]);
    }
  }
  expect(matches).toBeGreaterThan(20);
});
