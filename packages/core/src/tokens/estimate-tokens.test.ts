import { readFileSync } from 'node:fs';

import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';

import { estimateTokens } from './estimate-tokens.ts';

const file = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');
const text = (name: string): string => file(`../../fixtures/texts/${name}`);
const json: unknown = JSON.parse(text('orders.json'));

/** Numbers that look like chance and are the same each time. */
function bytes(length: number): Buffer {
  let seed = 42;
  return Buffer.from(
    Array.from({ length }, () => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
      return seed >> 16;
    }),
  );
}

describe('An estimate of tokens', () => {
  it.each<readonly [string, string]>([
    ['English', text('english.md')],
    ['Chinese', text('chinese.md')],
    ['Japanese', text('japanese.md')],
    ['TypeScript', file('../hooks/onion-layer.ts')],
    ['TypeScript with much prose', file('../contract/model.ts')],
    ['Python', text('ledger.py')],
    ['JSON, indented', text('orders.json')],
    ['JSON, compact', JSON.stringify(json)],
    ['JSON of numbers', JSON.stringify(Array.from(bytes(600)))],
    ['base64', bytes(3000).toString('base64')],
    ['base64 in lines', bytes(3000).toString('base64').replaceAll(/.{76}/g, '$&\n')],
    ['hexadecimal', bytes(3000).toString('hex')],
    [
      'ids',
      Array.from({ length: 90 }, (_, at) => bytes(3000).toString('hex', at * 16, at * 16 + 16)).join('\n'),
    ],
  ])('is within 15 percent of o200k for %s', (_, sample) => {
    expect(errorFor(sample)).toBeLessThan(0.15);
  });

  it.each<readonly [string, string]>([
    [
      'Korean',
      '바닷가 마을에는 오래된 등대가 하나 있다. 등대지기 할아버지는 매일 저녁 다섯 시가 되면 계단을 올라가 불을 켠다.',
    ],
    [
      'Russian',
      'Старый трамвай поворачивал у рынка так медленно, что мальчишки успевали спрыгнуть и догнать его.',
    ],
    [
      'Arabic',
      'كان البيت القديم يقف في آخر الشارع، تحيط به أشجار الليمون من ثلاث جهات. في كل صباح تفتح الجدة النافذة.',
    ],
    [
      'Hindi',
      'पुराने बाज़ार के कोने पर एक छोटी सी किताबों की दुकान थी। दुकानदार हर ग्राहक से पूछता था कि किताब कैसी लगी।',
    ],
    ['Thai', 'ร้านกาแฟเล็กๆ ริมแม่น้ำเปิดทุกวันตั้งแต่เช้าตรู่ เจ้าของร้านจำได้ว่าลูกค้าแต่ละคนชอบกาแฟแบบไหน'],
  ])('is within 20 percent of o200k for a few words of %s', (_, sample) => {
    expect(errorFor(sample)).toBeLessThan(0.2);
  });

  it('is nothing for nothing', () => {
    expect(estimateTokens('')).toBe(0);
  });

  it.each([
    'a',
    ' ',
    '\n',
    '-',
    '0',
    '中',
    'あ',
    '😀',
    '\0',
    '\uD83D',
    '\u200D',
    'aA1',
    '=',
    '_',
    '({[',
    '. ',
  ])(
    'comes to an end for a million times %j: with a cost that grows with the square, it would not',
    (character) => {
      expect(estimateTokens(character.repeat(1_000_000))).toBeLessThanOrEqual(2_400_000);
    },
  );
});

function errorFor(sample: string): number {
  return Math.abs(estimateTokens(sample) / countTokens(sample) - 1);
}
