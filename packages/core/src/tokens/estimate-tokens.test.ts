import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { estimateError, languageSamples, promisedSamples } from '../../test/token-samples.ts';
import { asciiTokens } from './ascii-tokens.ts';
import { estimateTokens } from './estimate-tokens.ts';

const file = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');

describe('An estimate of tokens', () => {
  it.each(promisedSamples())('is within 15 percent of o200k for $name', ({ text, within }) => {
    expect(Math.abs(estimateError(text))).toBeLessThan(within);
  });

  it.each([
    ['TypeScript', file('../hooks/onion-layer.ts')],
    ['TypeScript with much prose', file('../contract/model.ts')],
  ])('is within 15 percent of o200k for %s', (_, sample) => {
    expect(Math.abs(estimateError(sample))).toBeLessThan(0.15);
  });

  it.each(languageSamples())('is within 30 percent of o200k for $name', ({ text, within }) => {
    expect(Math.abs(estimateError(text))).toBeLessThan(within);
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
    expect(Math.abs(estimateError(sample))).toBeLessThan(0.2);
  });

  it.each([
    ...['a', 'z', 'A', 'Z'].flatMap((letter) => ['0', '9'].map((digit) => `${letter}${digit}`.repeat(4))),
    'aaaa1111bbbb2222',
    `${'a'.repeat(9)}${'1'.repeat(9)}${'b'.repeat(9)}${'2'.repeat(9)}`,
    'a1-b2-c3-d4',
  ])('is 0.65 for each character of a key such as %s', (key) => {
    expect(estimateTokens(key)).toBe(Math.ceil(key.length * 0.65));
    expect(estimateTokens(`${key} ${key}`)).toBe(Math.ceil(2 * key.length * 0.65));
  });

  it.each([
    ['that is too short', 'a1b2c3'],
    ['with too few changes', 'aaaa1111bbbb'],
    [
      'with too few changes for its length',
      `${'a'.repeat(10)}${'1'.repeat(9)}${'b'.repeat(9)}${'2'.repeat(9)}`,
    ],
    ['whose letters and digits do not touch', 'a-1-b-2-c-3-d-4'],
    ['whose letters and digits touch elsewhere', 'a-1-b-2-c-3-d-4 x1'],
  ])('is that of words for a text %s', (_, text) => {
    expect(estimateTokens(text)).toBe(asciiTokens(text));
  });

  it.each([
    ['one 2 three 4', 2],
    ['a  b', 1],
    ['a\t\tb\tc', 2],
    ['  a', 0],
    ['a 1', 1],
  ])('has one more for each number and each padding between words: %j', (text, more) => {
    expect(estimateTokens(text)).toBe((asciiTokens(text) ?? 0) + more);
  });

  it.each([
    ['src/app/main.ts', 3],
    ['src/main.ts', 0],
    ['src/app/x/y', 1],
    ['/src/app', 2],
    ['a//bb/cc', 1],
  ])('has 0.65 less for each joint of the path %s', (path, joints) => {
    expect(estimateTokens(path)).toBe(Math.ceil((asciiTokens(path) ?? 0) - joints * 0.65));
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
    '/a',
    'a/',
    'a  ',
    'a\t',
    '-a',
    'a1',
  ])(
    'comes to an end for 200,000 times %j: with a cost that grows with the square, it would not',
    (character) => {
      expect(estimateTokens(character.repeat(200_000))).toBeLessThanOrEqual(480_000);
    },
  );
});
