import { textOf, createAgent, memoryStore, type Agent } from '@shallot/core';
import type { Store } from '@shallot/core/store';
import { scriptedModel, type ScriptedStep } from '@shallot/testing';
import { describe, expect, it, vi } from 'vitest';

import { keys, paste } from '../../test/chat/chat.ts';
import { fakeDesk, type FakeDesk } from '../../test/chat/fake-desk.ts';
import { screenText } from '../../test/chat/screen.ts';
import { randomFrom } from '../../test/random-from.ts';
import { Chat } from './chat.ts';
import { commandAtOnce } from './slash-commands.ts';

const { enter, up, ctrlC, ctrlD } = keys;
const escape = '\u001b';

interface Conversation extends FakeDesk {
  readonly agent: Agent;
  /** The messages and commands that the desk gave, each of which is a run of its own. */
  readonly given: readonly string[];
  /** Lets the answers of the model through. */
  readonly answer: () => void;
  /** The user's messages of the session. */
  readonly said: () => Promise<readonly string[]>;
  readonly over: Promise<void>;
  /** Waits until the terminal shows a text. */
  readonly seen: (text: string) => Promise<void>;
}

/** A chat on a desk, whose model answers its first request once `answer` was called, and then at once. */
async function converse(
  first: ScriptedStep = { text: 'First.' },
  store: Store = memoryStore(),
): Promise<Conversation> {
  const terminal = fakeDesk();
  const gate = Promise.withResolvers<void>();
  const held = async (): Promise<ScriptedStep> => {
    await gate.promise;
    return first;
  };
  const steps = [first, ...Array.from({ length: 9 }, () => ({ text: 'More.' }))];
  const model = scriptedModel('stall' in first ? steps : [held, ...steps.slice(1)]);
  const agent = await createAgent({ model, store, log: 'silent' });
  const { desk, screen } = terminal;
  const chat = new Chat({
    opened: { agent, store, reload: () => Promise.reject(new Error('It has no config.')) },
    sessionId: 'talk',
    onCommands: () => undefined,
    commandAtOnce,
    screen,
    options: { quiet: true },
    desk,
  });
  const given: string[] = [];
  const listen = async (): Promise<void> => {
    for (;;) {
      const written = await desk.next();
      if (written.type === 'end') return;
      if (written.type === 'interrupt' || written.text === '') continue;
      given.push(written.text);
      if (!written.text.startsWith('/')) await chat.send(written.text, written.text);
    }
  };
  return {
    ...terminal,
    agent,
    given,
    answer: () => gate.resolve(),
    async said() {
      const messages = (await agent.session('talk'))?.messages ?? [];
      return messages.filter(({ role }) => role === 'user').map((message) => textOf(message));
    },
    over: listen(),
    seen: (text) => vi.waitFor(() => expect(screenText(terminal.shown())).toContain(text)),
  };
}

/** Begins a run by a first message. */
async function begun(...parts: Parameters<typeof converse>): Promise<Conversation> {
  const talk = await converse(...parts);
  await talk.press(`How far?${enter}`, 0);
  await vi.waitFor(async () => expect(await talk.said()).toEqual(['How far?']));
  await talk.settle();
  return talk;
}

async function finish({ press, over, agent }: Conversation): Promise<void> {
  await press(ctrlD, 0);
  await over;
  await agent.close();
}

const stalled: ScriptedStep = { chunks: ['Once upon a time'], stall: true };

describe('what is typed during an answer', () => {
  it('goes to the run at Enter, which reads it in its next step', async () => {
    const talk = await begun();
    await talk.press(`in kilometres${enter}`, 10);
    expect(screenText(talk.shown())).toContain('> in kilometres\n  (queued: Up takes it back');
    talk.answer();
    await talk.seen('(read) in kilometres');
    await talk.seen('More.');
    await finish(talk);
    expect(await talk.said()).toEqual(['How far?', 'in kilometres']);
    expect(talk.given).toEqual(['How far?']);
    expect(talk.history).toEqual(['in kilometres']);
  });

  it('is shown when the run has read it, also if it was sent from elsewhere', async () => {
    const talk = await begun();
    await talk.agent.send('talk', 'in leagues');
    talk.answer();
    await talk.seen('(read) in leagues');
    await finish(talk);
    expect(talk.history).toEqual([]);
  });

  it('is shown below the output, and is in the line when the answer is over', async () => {
    const talk = await begun();
    await talk.press('in kilo', 10);
    expect(screenText(talk.shown())).toMatch(/> How far\?\n> in kilo$/);
    talk.screen.note('a note');
    expect(screenText(talk.shown())).toMatch(/> How far\?\na note\n> in kilo$/);
    talk.answer();
    await talk.seen('First.');
    await talk.settle();
    expect(screenText(talk.shown())).toMatch(/a note\nFirst\.\n> in kilo$/);
    await talk.press(`metres${enter}`, 10);
    await talk.seen('More.');
    await finish(talk);
    expect(talk.given).toEqual(['How far?', 'in kilometres']);
  });

  it('comes back into an empty line at Up, the last message first, and is read as it was changed', async () => {
    const talk = await begun();
    await talk.press(`in miles${enter}`, 10);
    await talk.press(`by air${enter}`, 10);
    await talk.press(up, 10);
    expect(screenText(talk.shown())).toMatch(/\(taken back\)\n> by air$/);
    await talk.press(`, please${enter}`, 10);
    talk.answer();
    await talk.seen('(read) by air, please');
    await finish(talk);
    expect(await talk.said()).toEqual(['How far?', 'in miles', 'by air, please']);
  });

  it('is one message if it is pasted, with its lines', async () => {
    const talk = await begun();
    await talk.press(paste('in kilometres\nby air'), 10);
    expect(screenText(talk.shown())).toMatch(/> in kilometres\n {2}by air$/);
    await talk.press(enter, 10);
    talk.answer();
    await talk.seen('(read) in kilometres by air');
    await finish(talk);
    expect(await talk.said()).toEqual(['How far?', 'in kilometres\nby air']);
  });

  it('waits for the end of the run if it is a command, with what comes after it', async () => {
    const talk = await begun();
    for (const text of ['in miles', '/usage', 'by air']) await talk.press(`${text}${enter}`, 10);
    talk.answer();
    await vi.waitFor(() => expect(talk.given).toEqual(['How far?', '/usage', 'by air']));
    await vi.waitFor(async () => expect(await talk.said()).toEqual(['How far?', 'in miles', 'by air']));
    await finish(talk);
  });

  it('waits for the end of the run if the store has no inbox', async () => {
    const { send: _send, inbox: _inbox, unsend: _unsend, ...store } = memoryStore();
    const talk = await begun(undefined, store);
    await talk.press(`in miles${enter}`, 10);
    talk.answer();
    await vi.waitFor(async () => expect(await talk.said()).toEqual(['How far?', 'in miles']));
    await finish(talk);
    expect(talk.given).toEqual(['How far?', 'in miles']);
  });

  it('is a message of its own if the run fails before reading it', async () => {
    const talk = await begun({ error: new Error('no tea left') });
    await talk.press(`in miles${enter}`, 10);
    talk.answer();
    await talk.seen('More.');
    await finish(talk);
    expect(await talk.said()).toEqual(['How far?', 'in miles']);
    expect(talk.given).toEqual(['How far?', 'in miles']);
  });

  it('ends the chat at Ctrl-D once the run has ended', async () => {
    const talk = await begun();
    await talk.press(ctrlD, 10);
    talk.answer();
    await talk.over;
    expect(screenText(talk.shown())).toContain('First.');
    await talk.agent.close();
  });
});

describe('Esc during an answer', () => {
  it('stops it, and sends what is in the line', async () => {
    const talk = await begun(stalled);
    await talk.press('stop, in miles', 10);
    await talk.press(escape, 10);
    await talk.seen('More.');
    expect(screenText(talk.shown())).toMatch(
      /> stop, in miles\nStopping, to send it …\nOnce upon a time\nstopped, for your message\n> stop, in miles\nMore\./,
    );
    await finish(talk);
    expect(await talk.said()).toEqual(['How far?', 'stop, in miles']);
  });

  it('sends the messages of the queue, too, each once and in order', async () => {
    const talk = await begun(stalled);
    for (const keysOfOne of [`one${enter}`, `two${enter}`, 'three']) await talk.press(keysOfOne, 10);
    await talk.press(escape, 10);
    await vi.waitFor(async () => expect(await talk.said()).toEqual(['How far?', 'one', 'two', 'three']));
    await talk.seen('More.');
    await finish(talk);
  });

  it('only stops it if nothing is typed', async () => {
    const talk = await begun(stalled);
    await talk.press(escape, 10);
    await talk.seen('stopped (/resume continues');
    await finish(talk);
    expect(talk.given).toEqual(['How far?']);
  });
});

describe('Ctrl-C during an answer', () => {
  it('stops it, and puts messages that were not read back into the line', async () => {
    const talk = await begun(stalled);
    await talk.press(`in miles${enter}`, 10);
    await talk.press('by air', 10);
    await talk.press(ctrlC, 10);
    await talk.seen('stopped (/resume continues');
    await talk.settle();
    expect(screenText(talk.shown())).toMatch(/> in miles\n {2}by air$/);
    expect(talk.given).toEqual(['How far?']);
    await talk.press(enter, 10);
    await talk.seen('More.');
    await finish(talk);
    expect(await talk.said()).toEqual(['How far?', 'in miles\nby air']);
  });
});

it.each(Array.from({ length: 60 }, (_, seed) => seed))(
  'each word is in the session once, however it was sent, taken back and stopped (seed %i)',
  async (seed) => {
    const random = randomFrom(seed);
    const talk = await begun();
    const answeredAt = random(14);
    const stoppedAt = random(2) === 0 ? random(14) : undefined;
    const typed = ['How', 'far?'];
    for (let step = 0; step < 14; step += 1) {
      if (step === answeredAt) talk.answer();
      // Ctrl-C after the answer would clear the line.
      if (step === stoppedAt && step < answeredAt) await talk.press(ctrlC, 10);
      if (random(4) === 0) await talk.press(up, 10);
      else {
        typed.push(`word${step}`);
        await talk.press(` word${step}${random(3) > 0 ? enter : ''}`, 10);
      }
    }
    talk.answer();
    await talk.press(` end${enter}`, 10);
    await vi.waitFor(async () => {
      const words = (await talk.said()).flatMap((text) => text.trim().split(/\s+/));
      expect(words.toSorted()).toEqual([...typed, 'end'].toSorted());
    });
    await finish(talk);
  },
);
