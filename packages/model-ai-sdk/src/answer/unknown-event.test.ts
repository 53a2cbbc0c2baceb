import { expect, it } from 'vitest';

import { isUnknownEvent } from './unknown-event.ts';

const invalid = (value: unknown): object =>
  Object.assign(new Error('Type validation failed'), { name: 'AI_TypeValidationError', value });

it.each([
  [invalid({ type: 'message_thought' }), true],
  [invalid({ type: 'content_block_delta', delta: {} }), false],
  [invalid({ type: 'response.created' }), false],
  [invalid({ choices: 7 }), false],
  [invalid({ type: 'ping' }), true],
  [invalid({ object: 'chat.completion.keepalive' }), true],
  [invalid({ error: 'overloaded' }), false],
  [invalid({ type: 'new_kind', choices: [] }), false],
  [Object.assign(new Error('no'), { name: 'AI_JSONParseError', value: { type: 'new_one' } }), false],
  [undefined, false],
])('an event that a package does not know is told from one that it should: %#', (error, isUnknown) => {
  expect(isUnknownEvent(error)).toBe(isUnknown);
});
