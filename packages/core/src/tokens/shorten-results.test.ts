import { describe, expect, it } from 'vitest';

import { textOf, textPart, toMessages, type Message, type MessageInput } from '../contract/messages.ts';
import { lastingResult } from './lasting.ts';
import { clearResults, clipResults } from './shorten-results.ts';
import { tokenCounts } from './token-counts.ts';

const picture = { type: 'file', mediaType: 'image/png', data: 'AAAA' } as const;
const stub = () => '(cleared)';
const tokens = tokenCounts((text) => text.length);

function history(
  ...results: readonly (string | Partial<Extract<MessageInput, { role: 'tool' }>>)[]
): Message[] {
  let ids = 0;
  const inputs = results.flatMap((given, index): MessageInput[] => [
    { role: 'assistant', content: [{ type: 'tool-call', id: `c${index}`, name: 'look', input: {} }] },
    {
      role: 'tool',
      callId: `c${index}`,
      name: 'look',
      ...(typeof given === 'string' ? { content: given } : { content: 'x', ...given }),
    },
  ]);
  return toMessages([{ role: 'user', content: 'Look.'.repeat(20) }, ...inputs], () => `m${(ids += 1)}`);
}

const textsOf = (messages: readonly Message[]): string[] =>
  messages.flatMap((message) => (message.role === 'tool' ? [textOf(message)] : []));

describe('clearResults', () => {
  it('puts stubs in the place of long results before an index, and leaves everything else as it is', () => {
    const given = history('a'.repeat(100), 'short', { content: [picture], data: { a: 1 } }, 'd'.repeat(100));
    const { messages, changed } = clearResults(given, 7, ({ name, callId }) => `${name} ${callId}`);
    expect(textsOf(messages)).toEqual(['look c0', 'short', 'look c2', 'd'.repeat(100)]);
    expect(changed).toBe(2);
    expect(messages.map(({ id }) => id)).toEqual(given.map(({ id }) => id));
    expect(messages[6]).not.toHaveProperty('data');
    expect(messages.filter((message, index) => message === given[index])).toHaveLength(7);
  });

  it('leaves results that are marked to last', () => {
    const { metadata } = lastingResult({ content: [], metadata: { other: 1 } });
    expect(metadata).toMatchObject({ other: 1 });
    const given = history({ content: 'a'.repeat(100), metadata: metadata ?? {} });
    expect(clearResults(given, 3, stub)).toEqual({ messages: given, changed: 0 });
  });

  it.each([
    [13, 'kept'],
    [14, 'cleared'],
  ])('a result of %d characters is %s, at a stub of seven', (length, state) => {
    const { changed } = clearResults(history('a'.repeat(length)), 3, () => 'a stub.');
    expect(changed).toBe(state === 'cleared' ? 1 : 0);
  });

  it('looks at the messages before the index only', () => {
    const given = history('a'.repeat(100), 'b'.repeat(100));
    expect([2, 3, 4, 5].map((before) => clearResults(given, before, stub).changed)).toEqual([0, 1, 1, 2]);
  });

  it('changes nothing a second time', () => {
    const once = clearResults(history('a'.repeat(100)), 3, stub);
    expect(clearResults(once.messages, 3, stub)).toEqual({ messages: once.messages, changed: 0 });
  });
});

describe('clipResults', () => {
  const note = () => '[…]';
  const clip = (given: readonly Message[], maxTokens: number, from = 0) =>
    clipResults(given, from, { maxTokens, tokens, note });

  it('leaves results that fit', () => {
    const given = history('a'.repeat(100), 'b'.repeat(100));
    expect(clip(given, 300)).toEqual({ messages: given, changed: 0 });
  });

  it('keeps head and tail of those that do not, within what small ones leave', () => {
    const given = history('small', `head${'a'.repeat(1000)}tail`, `Kopf${'b'.repeat(400)}Schluss`);
    const { messages, changed } = clip(given, 500);
    const [small, large, other] = textsOf(messages);
    expect(small).toBe('small');
    expect(large).toMatch(/^heada+\n\n\[…\]\n\na+tail$/);
    expect(other).toMatch(/^Kopfb+\n\n\[…\]\n\nb+Schluss$/);
    expect(changed).toBe(2);
    const size = tokens.messages(messages.filter(({ role }) => role === 'tool'));
    expect(size).toBeLessThanOrEqual(500);
    expect(size).toBeGreaterThan(450);
  });

  it('looks at results from an index on only', () => {
    const given = history('a'.repeat(1000), 'b'.repeat(1000));
    expect(textsOf(clip(given, 100, 3).messages).map((text) => text.length < 100)).toEqual([false, true]);
  });

  it('keeps pictures that fit into half of the room, and names what it leaves out', () => {
    const content = [textPart('a'.repeat(5000)), picture, picture];
    const [, , kept] = clip(history({ content }), 4000).messages;
    expect(kept?.content.map(({ type }) => type)).toEqual(['text', 'file']);
    const [, , alone] = clip(history({ content: [picture, picture] }), 100).messages;
    expect(alone?.content).toEqual([textPart('(2 files are left out.) […]')]);
  });

  it('cuts the messages of the user too where that is asked, but none of a plugin', () => {
    const long = 'a'.repeat(1000);
    const given = toMessages(
      [
        { role: 'user', content: long },
        { role: 'user', content: long, source: 'summary' },
        { role: 'assistant', content: long },
      ],
      () => 'm',
    );
    const cut = clipResults(given, 0, { maxTokens: 100, tokens, note, roles: ['user'] }).messages;
    expect(cut.map((message, index) => message === given[index])).toEqual([false, true, true]);
    expect(clip(given, 100)).toEqual({ messages: given, changed: 0 });
    const result = history(long);
    expect(clipResults(result, 1, { maxTokens: 100, tokens, note, roles: ['user'] }).changed).toBe(0);
  });

  it.each([
    [208, [100, 100]],
    [207, [99, 99]],
    [300, [100, 100]],
  ])(
    'gives two results of 104 tokens with their messages in %d tokens their shares',
    (maxTokens, lengths) => {
      const texts = textsOf(clip(history('a'.repeat(100), 'b'.repeat(100)), maxTokens).messages);
      expect(texts.map(({ length }) => length)).toEqual(lengths);
    },
  );

  it('cuts more where heads and tails have more tokens than the middle', () => {
    const dense = tokenCounts((text) => text.length + 9 * (text.match(/x/g)?.length ?? 0));
    const [text = ''] = textsOf(
      clipResults(history(`${'x'.repeat(300)}${'a'.repeat(3000)}${'x'.repeat(300)}`), 0, {
        maxTokens: 1000,
        tokens: dense,
        note,
      }).messages,
    );
    expect(dense.text(text)).toBeLessThanOrEqual(996);
    expect(dense.text(text)).toBeGreaterThan(700);
  });

  it('parts no character, and comes to an end however small the room is', () => {
    for (const maxTokens of [0, 1, 60, 61, 62, 63]) {
      const [text = ''] = textsOf(clip(history('😀'.repeat(200)), maxTokens).messages);
      expect(text.isWellFormed()).toBe(true);
      expect(text).toContain('[…]');
    }
  });
});
