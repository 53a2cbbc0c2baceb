import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { fakeDesk, type FakeDesk } from '../../test/chat/fake-desk.ts';
import { screenText } from '../../test/chat/screen.ts';
import { randomFrom } from '../../test/random-from.ts';
import type { QuestionPrompts } from '../keyboard/question-prompts.ts';
import { PromptLeft } from '../terminal/prompts.ts';

const [enter, ctrlC, down, backspace, tab] = ['\r', '\u0003', '\u001b[B', '\u007f', '\t'];
const purpose = 600;

/** The kinds of questions, and the keys that answer them on purpose. */
const questions = {
  choice: {
    ask: (prompts: QuestionPrompts) => prompts.choose('Allow it?', choices),
    keys: ['2', enter],
    answer: 'reject',
  },
  arrows: {
    ask: (prompts: QuestionPrompts) => prompts.choose('Allow it?', choices),
    keys: [down, down, enter],
    answer: 'reject',
  },
  several: {
    ask: async (prompts: QuestionPrompts) => (await prompts.chooseSeveral('Which?', choices)).join(' '),
    keys: ['1', '3', enter],
    answer: 'approve later',
  },
  text: {
    ask: (prompts: QuestionPrompts) => prompts.text('How?'),
    keys: [down, 'like this', enter],
    answer: 'like this',
  },
} as const;

const choices = [
  { value: 'approve', label: 'Approve' },
  { value: 'reject', label: 'Reject' },
  { value: 'later', label: 'Later' },
] as const;

type Kind = keyof typeof questions;
const kinds = Object.keys(questions) as readonly Kind[];

/** A conversation over a desk, each of whose runs waits for `ask`, and then asks a question. */
function converse({ desk }: FakeDesk, kind: Kind) {
  const messages: string[] = [];
  const answers: string[] = [];
  const gate = Promise.withResolvers<void>();
  const run = async (signal: AbortSignal): Promise<void> => {
    const stopped = new Promise<'stopped'>((resolve) => {
      signal.addEventListener('abort', () => resolve('stopped'));
    });
    if ((await Promise.race([gate.promise, stopped])) === 'stopped') return;
    try {
      answers.push(await desk.ask<string>(questions[kind].ask));
    } catch (error) {
      if (!(error instanceof PromptLeft)) throw error;
      answers.push('left');
    }
  };
  const over = (async () => {
    for (;;) {
      const written = await desk.next();
      if (written.type === 'end') return;
      if (written.type === 'interrupt' || written.text === '') continue;
      messages.push(written.text);
      if (messages.length === 1) await desk.attend(run);
    }
  })();
  return { messages, answers, ask: () => gate.resolve(), over };
}

interface Step {
  readonly keys: string;
  readonly afterMs: number;
}

const words = ['and', 'then', 'yes', '日本語で', 'jk', 'go', '👩‍👩‍👧', 'please', 'é', 'now'];

/** Returns messages as they are typed, pasted or mistyped, one after another. */
function typeMessages(random: (limit: number) => number) {
  const steps: Step[] = [];
  const typed: string[] = [];
  const press = (keys: string): void => void steps.push({ keys, afterMs: 20 + random(781) });
  const say = (text: string): void => {
    typed.push(text);
    for (const { segment } of new Intl.Segmenter().segment(text)) {
      press(segment);
      if (random(20) === 0) ['x', backspace].forEach(press);
      if (random(40) === 0) press(tab);
    }
  };
  for (let count = 3 + random(5); count > 0; count -= 1) {
    // A digit alone would be a decision: text follows.
    if (random(3) === 0) say(`${random(9)} `);
    const word = words[random(words.length)] ?? '';
    if (random(6) > 0) say(word);
    else {
      typed.push(word);
      press(`\u001b[200~${word}\r\u001b[201~`);
    }
    if (random(2) === 0) say(' ');
    else for (let times = 1 + random(3); times > 0; times -= 1) press(enter);
  }
  say('.');
  press(enter);
  return { steps, typed: typed.join('') };
}

/** Returns true if a text is another one, of which a part may be missing. */
function isWithoutOnePart(text: string, whole: string): boolean {
  const starts = Array.from({ length: text.length + 1 }, (_, index) => index);
  return starts.some((at) => whole.startsWith(text.slice(0, at)) && whole.endsWith(text.slice(at)));
}

const flat = (text: string): string => text.replaceAll(/\s+/g, '');

describe('a person who types while a question comes up', () => {
  it.each(Array.from({ length: 300 }, (_, seed) => seed))(
    'decides nothing without an arrow or a digit, and loses nothing (seed %i)',
    async (seed) => {
      const random = randomFrom(seed);
      const terminal = fakeDesk();
      const kind = kinds[seed % kinds.length] ?? 'choice';
      const conversation = converse(terminal, kind);
      await terminal.press(`go on${enter}`, 0);
      const { steps, typed } = typeMessages(random);
      const askedAt = seed % (steps.length + 1);
      const interruptedAt = random(4) === 0 ? random(steps.length) : undefined;
      for (const [index, { keys, afterMs }] of steps.entries()) {
        if (index === askedAt) conversation.ask();
        await terminal.settle();
        if (random(15) === 0) terminal.resize(10 + random(100));
        if (index === interruptedAt) await terminal.press(ctrlC, 20 + random(781));
        await terminal.press(keys, afterMs);
      }
      conversation.ask();
      await terminal.settle();
      const isOpen = conversation.answers.length === 0 && !terminal.shown().includes('Stopping');
      const decided = (): readonly string[] => conversation.answers.filter((answer) => answer !== 'left');
      expect(decided()).toEqual([]);
      const [key = '', ...more] = isOpen ? questions[kind].keys : [];
      await terminal.press(key, purpose);
      for (const keys of more) await terminal.press(keys, 20);
      expect(decided()).toEqual(isOpen ? [questions[kind].answer] : []);
      await terminal.press(enter, purpose);
      expect(conversation.messages[0]).toBe('go on');
      const sent = flat(conversation.messages.slice(1).join(''));
      // Ctrl-C clears one line, which is shown.
      const isCleared = interruptedAt !== undefined && isWithoutOnePart(sent, flat(typed));
      expect(sent).toBe(isCleared ? sent : flat(typed));
      terminal.end();
      await conversation.over;
    },
  );

  it('takes no arrow and no digit that is pressed at once', async () => {
    const terminal = fakeDesk();
    const conversation = converse(terminal, 'choice');
    await terminal.press(`go on${enter}`, 0);
    conversation.ask();
    await terminal.settle();
    for (const key of [down, enter, down, enter, '1', enter]) await terminal.press(key, 400);
    for (const key of [down, enter]) await terminal.press(key, 50);
    expect(conversation.answers).toEqual([]);
    await terminal.press(down, purpose);
    await terminal.press(down, 50);
    await terminal.press(enter, 50);
    expect(conversation.answers).toEqual(['reject']);
    terminal.end();
    await conversation.over;
    expect(conversation.messages).toEqual(['go on', '1']);
  });

  it('takes no digit at once after a message was emptied', async () => {
    const terminal = fakeDesk();
    const conversation = converse(terminal, 'choice');
    await terminal.press(`go on${enter}`, 0);
    conversation.ask();
    await terminal.settle();
    await terminal.press('a', purpose);
    for (const key of [backspace, '1', enter]) await terminal.press(key, 100);
    expect(conversation.answers).toEqual([]);
    terminal.end();
    await conversation.over;
  });

  it('keeps messages that wait when a run is stopped, and sends them no more by themselves', async () => {
    const terminal = fakeDesk();
    const conversation = converse(terminal, 'choice');
    for (const keys of [`go on${enter}`, `yes${enter}`, 'all', ctrlC]) await terminal.press(keys, 100);
    expect(terminal.shown()).toContain('Stopping');
    expect(conversation.messages).toEqual(['go on']);
    await terminal.press(enter, 100);
    expect(conversation.messages).toEqual(['go on', 'yes\nall']);
    terminal.end();
    await conversation.over;
  });

  it('sends what was typed ahead by Enter, after the run, and decides by the keys after it', async () => {
    const terminal = fakeDesk();
    const conversation = converse(terminal, 'choice');
    await terminal.press(`go on${enter}`, 0);
    await terminal.press('and then go on pl', 100);
    conversation.ask();
    await terminal.settle();
    for (const key of 'ease') await terminal.press(key, 700);
    await terminal.press(enter, 50);
    await terminal.press(enter, 50);
    await terminal.press('1', 100);
    await terminal.press(backspace, 100);
    expect(conversation.answers).toEqual([]);
    expect(screenText(terminal.shown())).toContain(
      '> and then go on please\n  (sent once the question is answered)\n',
    );
    await terminal.press('1', purpose);
    await terminal.press(enter, 30);
    expect(conversation.answers).toEqual(['approve']);
    expect(conversation.messages).toEqual(['go on', 'and then go on please']);
    terminal.end();
    await conversation.over;
  });

  it('decides nothing by pasted keys, marked or not', async () => {
    const terminal = fakeDesk();
    const conversation = converse(terminal, 'choice');
    await terminal.press(`go on${enter}`, 0);
    conversation.ask();
    await terminal.settle();
    await terminal.press(`\u001b[200~1${enter}\u001b[201~`, purpose);
    await terminal.press(enter, purpose);
    await terminal.press(`2${enter}`, purpose);
    await terminal.press(`${down}${enter}`, purpose);
    expect(conversation.answers).toEqual([]);
    await terminal.press(ctrlC, purpose);
    expect(conversation.answers).toEqual(['left']);
    await terminal.press(enter, purpose);
    // A question that is left puts what was to be sent back into the line.
    expect(conversation.messages).toEqual(['go on', '1\n']);
    terminal.end();
    await conversation.over;
  });
});

it('Tab completes a mention in place, and shows at most forty alternatives', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tab-'));
  for (let count = 0; count < 50; count += 1) writeFileSync(join(folder, `file${count}.md`), '');
  writeFileSync(join(folder, 'notes.md'), '');
  const terminal = fakeDesk(folder);
  const written = terminal.desk.next();
  await terminal.press(`read @fi${tab}`, 0);
  expect(screenText(terminal.shown())).toMatch(/file0\.md {2}file1\.md[^…]*… and 10 more\n> read @file$/);
  for (const key of ['7', '.', tab, 'and @no', tab, enter]) await terminal.press(key, 30);
  expect(await written).toEqual({ type: 'text', text: 'read @file7.md and @notes.md ' });
  terminal.end();
  rmSync(folder, { recursive: true });
});
