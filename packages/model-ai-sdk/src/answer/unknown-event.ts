import { isJsonObject, toJson } from '../sdk/metadata.ts';

/** What events of Anthropic's protocol, and the blocks and changes in them, are called. Others are newer than this. */
const events = new Set([
  'content_block_delta',
  'content_block_start',
  'content_block_stop',
  'error',
  'message_delta',
  'message_start',
  'message_stop',
  'ping',
]);

/**
 * Whether an error of a stream only says that an event came which the package does not know: it is passed over, as the
 * protocol wants it. An event that it should know is another matter: what it held would be lost.
 */
export function isUnknownEvent(error: unknown): boolean {
  if (typeof error !== 'object' || error === null || !('value' in error)) return false;
  if (!('name' in error) || error.name !== 'AI_TypeValidationError') return false;
  const value = toJson(error.value);
  if (!isJsonObject(value) || typeof value['type'] !== 'string') return false;
  // Only Anthropic's events have such names; those of OpenAI have points in them, and their package knows all of them.
  return /^[a-z]+(?:_[a-z]+)*$/.test(value['type']) && !events.has(value['type']);
}
