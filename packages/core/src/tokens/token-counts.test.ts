import { describe, expect, it } from 'vitest';

import type { CountTokens } from '../contract/count-tokens.ts';
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

/** Counts the turns of the event loop until `work` is done. */
async function turnsDuring(work: Promise<unknown> | undefined): Promise<number> {
  let turns = 0;
  let isOver = false;
  const next = (): void => {
    turns += 1;
    if (!isOver) setImmediate(next);
  };
  setImmediate(next);
  await work;
  isOver = true;
  return turns;
}

/** A tokenizer that takes a millisecond for each string. */
function slowTokenizer(text: string): number {
  const end = performance.now() + 1;
  while (performance.now() < end);
  return text.length;
}

describe('Counting ahead', () => {
  it('lets other work go on while a slow tokenizer counts, and leaves nothing to count', async () => {
    let calls = 0;
    const counts = tokenCounts((text) => ((calls += 1), slowTokenizer(text)));
    const messages = history(200, (index) => `${sentence} ${index}`);
    expect(await turnsDuring(counts.prepare(messages))).toBeGreaterThan(5);
    expect(calls).toBe(200);
    expect(counts.messages(messages)).toBe(messages.reduce((sum, each) => sum + counts.message(each), 0));
    expect(calls).toBe(200);
    expect(counts.prepare(messages)).toBeUndefined();
  });

  it('gives the numbers that counting at once gives', async () => {
    const messages = history(5000, (index) => sentence.repeat(1 + (index % 3)));
    const ahead = tokenCounts();
    await ahead.prepare(messages);
    expect(ahead.messages(messages)).toBe(tokenCounts().messages(messages));
  });

  it('takes no turn for a few new messages', () => {
    expect(tokenCounts().prepare(history(10, () => sentence))).toBeUndefined();
  });

  it('rejects with the fault of a tokenizer, and counts the rest the next time', async () => {
    let isBroken = true;
    const counts = tokenCounts((text) => {
      if (isBroken && text.startsWith('150 ')) throw new Error('no such rank');
      return text.length;
    });
    const messages = history(200, (index) => `${index} ${sentence}`);
    await expect(counts.prepare(messages)).rejects.toThrow('no such rank');
    isBroken = false;
    await counts.prepare(messages);
    expect(counts.messages(messages)).toBe(messages.reduce((sum, each) => sum + counts.message(each), 0));
  });
});

describe('A tokenizer of the application', () => {
  it.each([
    [() => Number.NaN, 'returned the number NaN'],
    [() => -1, 'returned the number -1'],
    [() => Infinity, 'returned the number Infinity'],
    [() => undefined, 'returned undefined'],
    [() => Promise.resolve(3), 'returned an object'],
    [() => '3', 'returned "3"'],
    [
      () => {
        throw new Error('The table of merges is missing.');
      },
      'threw for a string of 5 characters: The table of merges is missing. It must',
    ],
  ])('that fails is named: %s', (tokenizer, said) => {
    const counts = tokenCounts(tokenizer as CountTokens);
    for (const count of [() => counts.text('eggs.'), () => counts.messages(history(1, () => 'eggs.'))])
      expect(count).toThrow(`countTokens ${said}`);
  });
});

describe('The total of a list', () => {
  const messages = history(100, (index) => `${sentence} ${index}`);
  const [other] = history(1, () => 'cleared');
  const exact = (list: readonly Message[]): number =>
    list.reduce((sum, each) => sum + tokenCounts().message(each), 0);
  const changed: readonly (readonly [string, readonly Message[]])[] = [
    ['a message less at its end', messages.slice(0, -1)],
    ['a message less in the middle', [...messages.slice(0, 50), ...messages.slice(51)]],
    ['another message in the middle', messages.map((each, at) => (at === 50 ? (other as Message) : each))],
    ['a message more', [...messages, other as Message]],
    ['none of its first messages', messages.slice(50)],
  ];

  it.each(changed)('is right for one with %s', (_, list) => {
    const counts = tokenCounts();
    counts.messages(messages);
    expect(counts.messages(list)).toBe(exact(list));
    expect(counts.messages(messages)).toBe(exact(messages));
  });

  it('follows what a message is changed to while it may change', () => {
    const counts = tokenCounts();
    const open = { id: 'open', role: 'user' as const, content: [textPart('short')] };
    const before = counts.messages([...messages, open]);
    open.content = [textPart(sentence)];
    expect(counts.messages([...messages, open])).toBeGreaterThan(before);
  });

  it('follows a model that learns which files it accepts', () => {
    let takes = true;
    const counts = tokenCounts(undefined, { takesFile: () => takes });
    const file = {
      type: 'file',
      mediaType: 'text/plain',
      data: btoa(sentence.repeat(9)),
      name: 'a',
    } as const;
    const list = [...messages, Object.freeze({ id: 'f', role: 'user', content: [file] } as const)];
    const before = counts.messages(list);
    takes = false;
    expect(counts.messages(list)).not.toBe(before);
  });
});

it('the tokens of instructions are counted once, for the last sixteen', () => {
  const counted: string[] = [];
  const counts = tokenCounts((text) => (counted.push(text), text.length));
  const overhead = (instructions: string): number => counts.overhead({ instructions });
  const texts = Array.from({ length: 16 }, (_, index) => `text ${String.fromCharCode(97 + index)}`);
  for (const text of [...texts, ...texts]) expect(overhead(text)).toBe(4 + 6);
  expect(counted).toEqual(texts);
  overhead('another');
  // The first one was dropped; the second is used again, so that the third is the next to go.
  for (const text of [texts[1], texts[0], texts[1], texts[3]]) overhead(text ?? '');
  expect(counted.slice(16)).toEqual(['another', texts[0]]);
  overhead(texts[2] ?? '');
  expect(counted.slice(18)).toEqual([texts[2]]);
  expect(overhead('')).toBe(0);
});

describe('The new characters of a list', () => {
  /** Two messages of so many characters in all, with the four of each message. */
  const listOf = (characters: number): readonly Message[] =>
    history(2, (index) => (index === 0 ? 'x'.repeat(characters - 8 - 10) : 'y'.repeat(10)));

  it('are counted ahead in turns from 10,001 on', () => {
    expect(tokenCounts().prepare(listOf(10_000))).toBeUndefined();
    expect(tokenCounts().prepare(listOf(10_001))).toBeInstanceOf(Promise);
    const counts = tokenCounts();
    for (const each of listOf(10_001)) counts.message(each);
    const known = listOf(10_001);
    for (const each of known) counts.message(each);
    expect(counts.prepare(known)).toBeUndefined();
  });

  it('are all counted up to 100,000, and sampled beyond', () => {
    for (const [characters, counted] of [
      [100_000, 2],
      [100_001, 1],
    ] as const) {
      let calls = 0;
      const counts = tokenCounts((text) => ((calls += 1), text.length));
      expect(counts.messages(listOf(characters))).toBe(characters);
      expect(calls).toBe(counted);
    }
  });
});
