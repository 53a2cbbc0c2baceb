/** Where the final result of a call is journalled until all calls of its step have theirs. */
export function finalKey(callId: string): string {
  return `final:${callId}`;
}

/**
 * How the keys begin of all that is journalled of a call on its way. Models choose ids: no id with a colon in it may begin
 * like the keys of another call.
 */
export function callPrefix(callId: string): string {
  return `call:${odd.test(callId) ? callId.replaceAll(/[%:]/g, encodeURIComponent) : callId}:`;
}

const odd = /[%:]/;

/** How a key begins that belongs to a call on its way; undefined for any other key. */
export function callOf(key: string): string | undefined {
  if (!key.startsWith('call:')) return undefined;
  return key.slice(0, key.indexOf(':', 'call:'.length) + 1);
}

/** Where an execution of a call is journalled, by its ordinal. */
export function executionKey(callId: string, ordinal: number): string {
  return `${callPrefix(callId)}${ordinal}`;
}

/** Where a result of `once` is journalled that belongs to a call. */
export function callOnceKey(callId: string, place: string, key: string): string {
  return `${callPrefix(callId)}once:${place}:${key}`;
}
