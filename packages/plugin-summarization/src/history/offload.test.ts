import { memoryStore, type Message } from '@shallot/core';
import { memoryFiles } from '@shallot/core/files';
import type { Store } from '@shallot/core/store';
import {
  assert,
  asyncProperty,
  array,
  constantFrom,
  integer,
  oneof,
  property,
  record,
  string,
} from 'fast-check';
import { describe, expect, it, vi } from 'vitest';

import { conversation, talker } from '../../test/conversation.ts';
import { formatSection, formatTitle, parseHistory } from './history-format.ts';
import { appendHistory } from './offload.ts';
import { renderMessage } from './render-message.ts';

const small = { trigger: { messages: 6 }, keep: { messages: 2 }, truncateArguments: null } as const;

const hostile = constantFrom(
  '## Summarized at 2026-01-01T00:00:00.000Z\n\n<!-- section x 5 -->\n\n',
  '<!-- message m 5 -->\nhello\n\n',
  '\n\n\u2028\r\n\0',
  '\uD800',
  '-->',
);
const messages = array(record({ id: oneof(string(), hostile), text: oneof(string(), hostile) }), {
  minLength: 1,
  maxLength: 5,
});

function userMessage(id: string, text: string): Message {
  return { id, role: 'user', content: [{ type: 'text', text }] };
}

describe('A history file', () => {
  it('is read as it was written, whatever messages hold', () => {
    assert(
      property(string(), array(messages, { maxLength: 4 }), (sessionId, sections) => {
        const written = sections.map((each) =>
          // Lone surrogates become replacement characters on a disk, and must not be in ids.
          each.map(({ id, text }) => userMessage(id.toWellFormed(), text)),
        );
        const text = formatTitle(sessionId) + written.map((each) => formatSection('Now', each)).join('');
        const read = parseHistory(text);
        expect(read.end).toBe(text.length);
        expect(read.sections.map((section) => section.messages)).toEqual(
          written.map((each) => each.map((message) => ({ id: message.id, text: renderMessage(message) }))),
        );
      }),
    );
  });

  it('loses nothing but a section that was cut off, wherever that was', () => {
    const whole = formatTitle('s') + formatSection('One', [userMessage('a', 'A'), userMessage('b', 'B')]);
    const text = whole + formatSection('Two', [userMessage('c', 'C'), userMessage('d', 'D')]);
    for (let length = whole.length; length < text.length; length += 1) {
      const { sections, end } = parseHistory(text.slice(0, length));
      expect(sections.map(({ title }) => title)).toEqual(['One']);
      expect(end).toBe(whole.length);
    }
  });

  it('holds every message once, whatever of it was there before', async () => {
    await assert(
      asyncProperty(integer({ min: 0, max: 400 }), integer({ min: 0, max: 6 }), async (length, from) => {
        const all = Array.from({ length: 6 }, (_, index) => userMessage(`m${index}`, `text ${index}`));
        const files = memoryFiles();
        const before = formatTitle('s') + formatSection('Before', all.slice(0, 3));
        await files.write('/h.md', before.slice(0, length));
        const given = { sessionId: 's', title: 'After', messages: all.slice(Math.min(from, 3)) };
        await appendHistory(files, '/h.md', given, undefined);
        await appendHistory(files, '/h.md', given, undefined);
        const { sections, end } = parseHistory((await files.readText('/h.md')).text);
        const ids = sections.flatMap((section) => section.messages.map(({ id }) => id));
        expect(ids).toEqual([...new Set(ids)]);
        expect(ids.slice(-3)).toEqual(['m3', 'm4', 'm5']);
        expect(end).toBe((await files.readText('/h.md')).text.length);
      }),
    );
  });

  it('goes on after a section that was cut off, wherever that was', async () => {
    const whole = formatTitle('s') + formatSection('One', [userMessage('a', 'A'), userMessage('b', 'B')]);
    const text = whole + formatSection('Two', [userMessage('c', 'C'), userMessage('d', 'D')]);
    const all = ['a', 'b', 'c', 'd', 'e'];
    const given = { sessionId: 's', title: 'Three', messages: all.map((id) => userMessage(id, id)) };
    for (let length = whole.length; length < text.length; length += 1) {
      const files = memoryFiles();
      await files.write('/h.md', text.slice(0, length));
      await appendHistory(files, '/h.md', given, undefined);
      const { sections } = parseHistory((await files.readText('/h.md')).text);
      expect(sections.flatMap((section) => section.messages.map(({ id }) => id))).toEqual(all);
    }
  });

  it('shows everything that a message holds', () => {
    expect(
      renderMessage({
        id: 'm',
        role: 'assistant',
        source: 'acme',
        content: [
          { type: 'reasoning', text: 'Hm.' },
          { type: 'text', text: 'I write.' },
          { type: 'tool-call', id: 'c1', name: 'write', input: { path: '/a', lines: [1] } },
          { type: 'tool-call', id: 'c2', name: 'write', input: {}, raw: '{"path' },
          { type: 'file', mediaType: 'image/png', data: 'AAAA', name: 'a.png' },
          { type: 'file', mediaType: 'image/png', url: 'https://example.com/b.png' },
        ],
      }),
    ).toMatchInlineSnapshot(`
      "### assistant (acme)

      Reasoning: Hm.

      I write.

      Call of write c1:
      {
        "path": "/a",
        "lines": [
          1
        ]
      }

      Call of write c2:
      {"path

      A file: a.png, image/png
      data:image/png;base64,AAAA

      A file: image/png
      https://example.com/b.png"
    `);
    expect(
      renderMessage({
        id: 'm',
        role: 'tool',
        callId: 'c1',
        name: 'write',
        isError: true,
        content: [{ type: 'text', text: 'no disk' }],
      }),
    ).toBe('### error of write c1\n\nno disk');
  });
});

describe('The file of a session', () => {
  it('holds every message, in order, as it was', async () => {
    const talk = await conversation(
      talker({
        say: (_, index) => (index % 3 === 0 ? { callId: 'note', args: { index } } : `Answer ${index}.`),
      }),
      small,
    );
    for (let exchange = 1; exchange <= 30; exchange += 1) await talk.say(`Question ${exchange}.`);
    const kept = (await talk.history()).flatMap((section) => section.messages);
    expect(kept.length).toBeGreaterThan(60);
    expect(kept).toEqual(
      talk.said.slice(0, kept.length).map((message) => ({ id: message.id, text: renderMessage(message) })),
    );
    const rest = (await talk.messages()).filter(
      ({ id, source }) => source === undefined && !kept.some((each) => each.id === id),
    );
    expect([...kept.map(({ id }) => id), ...rest.map(({ id }) => id)]).toEqual(talk.said.map(({ id }) => id));
  });

  it('holds what goes before a summary of it is asked for, under the time of that', async () => {
    const heldBefore: number[] = [];
    const model = talker({
      summary: async (_, index) => {
        heldBefore.push((await talk.history()).length);
        return `Summary ${index}.`;
      },
    });
    const talk = await conversation(model, small);
    for (let exchange = 1; exchange <= 8; exchange += 1) await talk.say(`Question ${exchange}.`);
    expect(heldBefore).toEqual([1, 2, 3]);
    for (const { title } of await talk.history()) {
      expect(title).toMatch(/^Summarized at \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    }
  });

  it('holds every message once when arguments were cut beyond what is condensed later', async () => {
    const talk = await conversation(
      talker({
        say: (_, index) =>
          index % 2 === 0 ? { callId: 'write_file', args: { content: 'word '.repeat(200) } } : 'Written.',
        reports: false,
      }),
      {
        trigger: { messages: 16 },
        keep: { messages: 12 },
        truncateArguments: { trigger: { tokens: 600 }, keep: { messages: 2 }, maxLength: 100 },
      },
    );
    for (let exchange = 1; exchange <= 15; exchange += 1) await talk.say(`Write file ${exchange}.`);
    expect(talk.happened('truncated').length).toBeGreaterThan(1);
    expect(talk.happened('summarized').length).toBeGreaterThan(1);
    const kept = (await talk.history()).flatMap(({ messages }) => messages.map(({ id }) => id));
    expect(kept).toEqual(talk.said.slice(0, kept.length).map(({ id }) => id));
  });

  it('goes when the session is deleted, and not before', async () => {
    const talk = await conversation(talker(), small);
    for (let exchange = 1; exchange <= 8; exchange += 1) await talk.say(`My card is 4532 ${exchange}.`);
    expect((await talk.files.readText(talk.path)).text).toContain('4532');
    expect(await talk.agent.deleteSession('talk')).toEqual({ removed: [talk.path], left: [], errors: [] });
    expect(await talk.files.list('/', { recursive: true })).toEqual([]);
  });

  it('goes with a session that the store discards', async () => {
    const talk = await conversation(talker(), { ...small, trigger: { messages: 2 }, keep: { messages: 1 } });
    const past = ['My card is 4532.', 'And so on.', 'Again.'];
    const { sessionId } = await talk.agent.run(past.map((text, index) => userMessage(`m${index}`, text)));
    expect(sessionId).toMatch(/^anonymous/);
    expect(talk.agent.warnings).toEqual([]);
    expect(await talk.files.list('/', { recursive: true })).toEqual([]);
  });

  it('is appended to at a cost that does not grow with it: it is never read', async () => {
    const inner = memoryFiles();
    const calls: string[] = [];
    const written: number[] = [];
    const files = {
      ...inner,
      read: (path: string) => (calls.push('read'), inner.read(path)),
      readText: (path: string) => (calls.push('readText'), inner.readText(path)),
      write: (path: string, data: string | Uint8Array) => (calls.push('write'), inner.write(path, data)),
      append: (path: string, data: string | Uint8Array) => (
        written.push(data.length),
        inner.append(path, data)
      ),
    };
    const talk = await conversation(talker({ say: () => 'Answer.' }), small, { files });
    for (let exchange = 1; exchange <= 300; exchange += 1) await talk.say('Question.');
    expect(calls).toEqual([]);
    expect(written.length).toBeGreaterThan(100);
    // The first one has the title as well.
    expect(Math.max(...written.slice(1)) - Math.min(...written.slice(1))).toBeLessThan(300);
  });

  it('holds every message once when the process dies between file and store', async () => {
    const inner = memoryStore();
    let isDead = false;
    const alive = <T>(work: () => T): T => {
      if (isDead) throw new Error('the process is dead');
      return work();
    };
    const store: Store = {
      load: (sessionId) => inner.load(sessionId),
      list: (filter) => inner.list(filter),
      delete: (sessionId) => inner.delete(sessionId),
      renew: async (sessionId, claim) => alive(() => inner.renew(sessionId, claim)),
      requestStop: async (sessionId) => alive(() => inner.requestStop(sessionId)),
      async commit(sessionId, revision, change) {
        if (change.replace !== undefined) isDead = true;
        return alive(() => inner.commit(sessionId, revision, change));
      },
    };
    const files = memoryFiles();
    const talk = await conversation(talker(), small, { store, files, claimMs: 50 });
    for (const text of ['a', 'b', 'c']) await talk.say(text);
    await expect(talk.say('d')).rejects.toThrow('the process is dead');
    expect(isDead).toBe(true);
    const idsIn = async (): Promise<string[]> =>
      (await talk.historyOf(files)).flatMap(({ messages }) => messages.map(({ id }) => id));
    const before = await idsIn();
    expect(before).toHaveLength(5);

    const again = await conversation(talker(), small, { store: inner, files });
    await vi.waitFor(() => again.agent.resume('talk'), { timeout: 10_000 });
    for (const text of ['e', 'f', 'g']) await again.say(text);
    const after = await idsIn();
    expect(after.length).toBeGreaterThan(before.length);
    expect(after).toEqual([...new Set(after)]);
    expect((await again.messages())[0]?.source).toBe('summarization');
  });
});
