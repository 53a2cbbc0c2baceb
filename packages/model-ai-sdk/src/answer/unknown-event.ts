import { isJsonObject, toJson } from '../sdk/metadata.ts';

/** The names of events, blocks and deltas in Anthropic's protocol. Other names are newer than this package. */
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
 * Returns true if a stream error only reports an unknown event type, which the protocol requires to skip. Errors in
 * known events are reported, because their content would be lost.
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
