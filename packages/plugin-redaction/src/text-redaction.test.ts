import { describe, expect, it } from 'vitest';

import { lookAlikes, sentences, valid } from '../test/corpus.ts';
import { findWrongCut, inPieces, ownDetectors, redactionOf, texts } from '../test/cuts.ts';
import { kinds } from './detectors.ts';
import type { Find } from './finder-stage.ts';
import type { Action } from './replacements.ts';

const all = redactionOf();

describe('values in sentences of six languages', () => {
  it.for(kinds)('are found: %s', async (kind, { annotate }) => {
    const outputs = valid[kind].flatMap((value) =>
      sentences.map((sentence) => [
        all.text(sentence.replace('{}', () => value)),
        sentence.replace('{}', () => `[redacted ${kind}]`),
      ]),
    );
    const found = outputs.filter(([output, wanted]) => output === wanted).length;
    await annotate(`${kind}: recall ${((100 * found) / outputs.length).toFixed(1)} % of ${outputs.length}`);
    expect(found / outputs.length).toBeGreaterThanOrEqual(0.98);
  });

  it('are told from what looks like them', async ({ annotate }) => {
    const texts = lookAlikes.flatMap((value) => sentences.map((each) => each.replace('{}', () => value)));
    const wrong = texts.map((text) => all.text(text)).filter((output, index) => output !== texts[index]);
    for (const kind of kinds) {
      const hits = wrong.filter((output) => output.includes(`[redacted ${kind}]`)).length;
      const right = valid[kind].length * sentences.length;
      await annotate(`${kind}: precision ${((100 * right) / (right + hits)).toFixed(1)} %`);
      expect(right / (right + hits)).toBeGreaterThanOrEqual(0.95);
    }
    expect(wrong).toEqual([]);
  });
});

describe('a text in pieces', () => {
  it.each(texts)('gives what it gives in one, wherever it is cut: %.30s', (text) => {
    for (const redaction of [all, redactionOf({ own: ownDetectors })]) {
      const whole = redaction.text(text);
      expect(inPieces(redaction, Array.from(text))).toBe(whole);
      for (let at = 1; at < text.length; at += 1) {
        expect(inPieces(redaction, [text.slice(0, at), text.slice(at)])).toBe(whole);
      }
    }
  });

  it('gives the same for texts of any parts and lengths, cut anywhere', () => {
    expect(findWrongCut(200)).toBeNull();
  });

  it('lets go of words as they come, and holds what may become a match', () => {
    const stage = all.stage();
    expect(stage.push('Dear Anna, write to an')).toBe('Dear Anna, write to ');
    expect(stage.push('na@example.or')).toBe('');
    expect(stage.push('g or call +49 30 ')).toBe('[redacted email] or call ');
    expect(stage.push('901820 now.')).toBe('[redacted phone] ');
    expect(stage.end()).toBe('now.');
  });

  it('is redacted from the beginning on where a match is longer than any may be', () => {
    const link = `https://example.org/${'a'.repeat(20_000)}`;
    expect(all.text(`See ${link} and ${link}.`)).toBe('See [redacted url] and [redacted url]');
    const open = `password: [${'x '.repeat(9000)}\nplain`;
    expect(all.text(open)).toBe('[redacted secret]\nplain'.replace('[', 'password: ['));
  });
});

describe('the action', () => {
  const text = 'anna@example.org, 4111 1111 1111 1111, 192.0.2.17, sk-proj-abcDEF123456ghiJKL789012';

  it('mask leaves the domain of an address and the last four signs of what is long', () => {
    expect(redactionOf({ action: 'mask' }).text(text)).toBe(
      '***@example.org, **** **** **** 1111, ***.*.*.**, ***',
    );
  });

  it('hash gives the same for the same value, by the key', () => {
    const hashed = redactionOf({ action: 'hash' }).text(`${text} anna@example.org`);
    expect(hashed).toMatch(/^(\[email #[0-9a-f]{12}\]), \[card #.* \1$/);
  });

  it('block refuses the text', () => {
    expect(() => redactionOf({ action: 'block' }).text(text)).toThrow(
      expect.objectContaining({ code: 'redaction/BLOCKED' }),
    );
  });

  it.each<Action>(['redact', 'mask', 'hash'])('%s leaves a redacted text as it is', (action) => {
    for (const given of texts) {
      const once = redactionOf({ action }).text(given);
      expect(redactionOf({ action }).text(once)).toBe(once);
    }
  });
});

describe('a function of the user', () => {
  it.each([[[[3, 1]]], [[[0, 99]]], [[[0]]], ['x'], [undefined], [[[0, 0.5]]]])(
    'fails the text when it returns %j',
    (returned) => {
      const find = (): ReturnType<Find> => returned as unknown as ReturnType<Find>;
      expect(() => redactionOf({ own: [{ name: 'mine', find }] }).text('some text')).toThrow(
        expect.objectContaining({
          code: 'redaction/RANGES_INVALID',
        }),
      );
    },
  );

  it('may return ranges that overlap', () => {
    const find: Find = () => [
      [2, 6],
      [0, 4],
    ];
    expect(redactionOf({ own: [{ name: 'mine', find }] }).text('some text')).toBe('[redacted mine]ext');
  });
});

describe('JSON', () => {
  it('loses what stands under the name of a secret, and what is found in strings, keys and long numbers', () => {
    expect(
      all.json({
        to: ['anna@example.org'],
        apiKey: 'x1',
        nested: { password: { a: 'b', n: 12 } },
        card: 4111111111111111,
      }),
    ).toEqual({
      to: ['[redacted email]'],
      apiKey: '[redacted secret]',
      nested: { password: { a: '[redacted secret]', n: 12 } },
      card: '[redacted card]',
    });
  });
});
