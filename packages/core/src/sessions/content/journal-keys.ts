/** Returns the key of a call's final result, which is kept until all calls of the step have one. */
export function finalKey(callId: string): string {
  return `final:${callId}`;
}

/**
 * Returns the prefix of all journal keys of a call in progress. Models choose call ids, so colons are escaped:
 * otherwise one id could contain the prefix of another.
 */
export function callPrefix(callId: string): string {
  return `call:${odd.test(callId) ? callId.replaceAll(/[%:]/g, encodeURIComponent) : callId}:`;
}

const odd = /[%:]/;

/** Returns the prefix of a key of a call in progress; undefined for other keys. */
export function callOf(key: string): string | undefined {
  if (!key.startsWith('call:')) return undefined;
  return key.slice(0, key.indexOf(':', 'call:'.length) + 1);
}

/** Returns the key of a call's execution with this ordinal. */
export function executionKey(callId: string, ordinal: number): string {
  return `${callPrefix(callId)}${ordinal}`;
}

/** Returns the key of a `once` result that belongs to a call. */
export function callOnceKey(callId: string, place: string, key: string): string {
  return `${callPrefix(callId)}once:${place}:${key}`;
}
