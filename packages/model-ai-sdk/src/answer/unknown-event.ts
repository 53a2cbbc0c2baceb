import { isJsonObject, toJson } from '../sdk/metadata.ts';

/** The events of Anthropic's protocol that must not be skipped. */
const events = new Set([
  'content_block_delta',
  'content_block_start',
  'content_block_stop',
  'error',
  'message_delta',
  'message_start',
  'message_stop',
]);

/** The members that carry content in any protocol. A chunk without them can be skipped. */
const bearing = [
  'choices',
  'error',
  'candidates',
  'message',
  'output',
  'content',
  'delta',
  'text',
  'response',
];

/**
 * Returns true if a stream error is only about an event that can be skipped: one of an unknown type, which the protocol requires
 * clients to ignore, or one without a type and content. Other errors are reported, because content would be lost.
 */
export function isUnknownEvent(error: unknown): boolean {
  if (typeof error !== 'object' || error === null || !('value' in error)) return false;
  if (!('name' in error) || error.name !== 'AI_TypeValidationError') return false;
  const value = toJson(error.value);
  if (!isJsonObject(value)) return false;
  if (bearing.some((key) => key in value)) return false;
  if (typeof value['type'] !== 'string') return true;
  // Only Anthropic's events have such names; OpenAI's contain dots, and its package knows all of them.
  return /^[a-z]+(?:_[a-z]+)*$/.test(value['type']) && !events.has(value['type']);
}
