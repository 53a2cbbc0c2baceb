import { expect, it } from 'vitest';

import { textPart, type Message } from '../contract/messages.ts';
import { estimateTokens } from './estimate-tokens.ts';
import { tokenCounts } from './token-counts.ts';

const sentence = 'The second frame holds eggs and sealed brood; the queen was seen near its lower edge.';

function history(count: number, text: (index: number) => string): readonly Message[] {
  return Array.from({ length: count }, (_, index) =>
    Object.freeze({ id: String(index), role: 'user', content: [textPart(text(index))] } as const),
  );
}

/** Counts with `estimateTokens`, and how many characters that is given. */
function watched() {
  const given = { characters: 0 };
  const counts = tokenCounts((text) => {
    given.characters += text.length;
    return estimateTokens(text);
  });
  return { counts, given };
}

it('a session that was never counted costs a bounded number of characters, and each later step its new ones', () => {
  const { counts, given } = watched();
  // Short and long messages, prose and numbers.
  const messages = history(20_000, (index) => {
    const draw = Math.imul(index + 1, 2_654_435_761) >>> 16;
    return draw % 7 === 0 ? `${draw}, `.repeat(draw % 60) : sentence.repeat(1 + (draw % 4));
  });
  const exact = messages.reduce((sum, each) => sum + tokenCounts().message(each), 0);
  expect(Math.abs(counts.messages(messages) / exact - 1)).toBeLessThan(0.1);
  expect(given.characters).toBeLessThan(110_000);
  given.characters = 0;
  const before = counts.messages(messages);
  const [next] = history(1, () => sentence);
  expect(counts.messages([...messages, next as Message])).toBe(before + counts.message(next as Message));
  expect(given.characters).toBe(sentence.length);
});

it('a sample follows a conversation whose language changes', () => {
  const messages = history(8000, (index) =>
    index < 4000 ? sentence : '蜂箱里的第二个巢框有卵和封盖的幼虫。'.repeat(4),
  );
  const { counts } = watched();
  const exact = messages.reduce((sum, each) => sum + tokenCounts().message(each), 0);
  expect(Math.abs(counts.messages(messages) / exact - 1)).toBeLessThan(0.1);
});

it('the difference between two lists is that of the messages in which they differ', () => {
  const { counts } = watched();
  const messages = history(5000, () => sentence.repeat(2));
  const [short] = history(1, () => 'cleared');
  const cleared = messages.map((each, index) => (index === 2000 ? (short as Message) : each));
  const all = counts.messages(messages);
  const difference = all - counts.messages(cleared);
  expect(difference).toBeGreaterThan(0);
  expect(difference).toBeLessThan(2 * counts.text(sentence.repeat(2)));
});

it('a list of fewer characters is counted exactly', () => {
  const messages = history(1000, (index) => `${sentence} ${index}`);
  const exact = messages.reduce(
    (sum, { content: [part] }) => sum + 4 + estimateTokens((part as { text: string }).text),
    0,
  );
  expect(watched().counts.messages(messages)).toBe(exact);
});
