import { expect, it } from 'vitest';

import type { AgentEvent } from '../../contract/events.ts';
import { joinDeltas } from './join-deltas.ts';

const text = (piece: string, index = 0): AgentEvent => ({ type: 'text-delta', index, text: piece });
const thought = (piece: string, index = 0): AgentEvent => ({ type: 'reasoning-delta', index, text: piece });
const call = (piece: string, rest: object = {}): AgentEvent => ({
  type: 'tool-call-delta',
  index: 0,
  text: piece,
  ...rest,
});

it('deltas of one part become one', () => {
  expect(joinDeltas(text('a'), text('b'))).toEqual(text('ab'));
  expect(joinDeltas(thought('a', 2), thought('b', 2))).toEqual(thought('ab', 2));
  expect(joinDeltas(call('{', { name: 'find' }), call('}', { id: 'c' }))).toEqual(
    call('{}', { name: 'find', id: 'c' }),
  );
});

it.each<readonly [AgentEvent | undefined, AgentEvent]>([
  [undefined, text('b')],
  [text('a'), text('b', 1)],
  [text('a'), thought('b')],
  [thought('a'), text('b')],
  [call('a'), call('b', { index: 1 })],
  [text('a'), call('b')],
  [undefined, call('b')],
  [text('a'), { type: 'restart' }],
])('other events stay apart: %j, %j', (first, second) => {
  expect(joinDeltas(first, second)).toBeUndefined();
});
