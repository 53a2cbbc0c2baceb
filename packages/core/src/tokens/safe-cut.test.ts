import { array, assert, constant, integer, oneof, property, tuple } from 'fast-check';
import { describe, expect, it } from 'vitest';

import { toMessages, type Message, type MessageInput } from '../contract/messages.ts';
import { pairCalls } from '../sessions/content/pairing.ts';
import { safeCut } from './safe-cut.ts';

let ids = 0;
const messagesOf = (...inputs: MessageInput[]): Message[] => toMessages(inputs, () => `m${(ids += 1)}`);

/** A model's turn with so many tool calls, and their results. */
function turn(calls: number): MessageInput[] {
  const callIds = Array.from({ length: calls }, () => `c${(ids += 1)}`);
  return [
    {
      role: 'assistant',
      content: callIds.map((id) => ({ type: 'tool-call' as const, id, name: 'look', input: {} })),
    },
    ...callIds.map((callId) => ({ role: 'tool' as const, callId, name: 'look', content: 'seen' })),
  ];
}

const user: MessageInput = { role: 'user', content: 'Go on.' };
const block = oneof(
  constant([user]),
  constant<MessageInput[]>([{ role: 'assistant', content: 'Fine.' }]),
  constant<MessageInput[]>([{ role: 'user', content: 'What came before.', source: 'summarization' }]),
  integer({ min: 1, max: 4 }).map(turn),
);
const history = tuple(integer({ min: 0, max: 2 }), array(block, { maxLength: 30 })).map(([systems, blocks]) =>
  messagesOf(
    ...Array.from({ length: systems }, (): MessageInput => ({ role: 'system', content: 'Be kind.' })),
    ...blocks.flat(),
  ),
);
const cases = tuple(
  history,
  integer({ min: -20, max: 120 }).map((percent) => percent / 100),
);

function cutOf([messages, share]: readonly [Message[], number]) {
  return safeCut(messages, messages.length * share);
}

describe('A safe cut', () => {
  it('loses and doubles nothing, and keeps the order', () => {
    assert(
      property(cases, (given) => {
        const { dropped, kept } = cutOf(given);
        const places = (list: readonly Message[]): number[] => list.map((each) => given[0].indexOf(each));
        expect(places(dropped)).toEqual(places(dropped).toSorted((a, b) => a - b));
        expect(places(kept)).toEqual(places(kept).toSorted((a, b) => a - b));
        expect([...places(dropped), ...places(kept)].toSorted((a, b) => a - b)).toEqual([...given[0].keys()]);
      }),
    );
  });

  it('parts no call from its results, on either side', () => {
    assert(
      property(cases, (given) => {
        const { dropped, kept } = cutOf(given);
        for (const side of [dropped, kept]) {
          const { answered, dropped: orphans } = pairCalls(side, () => 'new');
          expect([...answered, ...orphans]).toEqual([]);
        }
      }),
    );
  });

  it("keeps the user's last message and the leading system messages", () => {
    assert(
      property(cases, (given) => {
        const [messages] = given;
        const { kept } = cutOf(given);
        const last = messages.findLast(({ role, source }) => role === 'user' && source === undefined);
        const start = messages.findIndex(({ role }) => role !== 'system');
        const leading = start === -1 ? messages : messages.slice(0, start);
        const stays = last === undefined ? leading : [...leading, last];
        expect(kept).toEqual(expect.arrayContaining(stays));
      }),
    );
  });

  it('keeps at least what was asked for, and at most one turn more', () => {
    assert(
      property(cases, (given) => {
        const [messages, share] = given;
        const wanted = Math.min(messages.length, Math.max(0, Math.trunc(messages.length * share)));
        const { at } = cutOf(given);
        expect(at).toBeLessThanOrEqual(wanted);
        expect(messages.slice(at + 1, wanted).every(({ role }) => role === 'tool')).toBe(true);
      }),
    );
  });

  it('changes nothing when it is made again', () => {
    assert(
      property(cases, (given) => {
        const cut = cutOf(given);
        expect(safeCut(given[0], cut.at)).toEqual(cut);
        const again = safeCut(cut.kept, cut.kept.length - (given[0].length - cut.at));
        expect(again.kept).toEqual(cut.kept);
        expect(again.dropped).toEqual([]);
      }),
    );
  });
});
