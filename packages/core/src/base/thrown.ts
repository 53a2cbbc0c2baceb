/** Returns a thrown value; an error in place of `undefined` and `null`, so that callers can test for a thrown value. */
export function asThrown(thrown: unknown): unknown {
  return thrown ?? new Error(`${String(thrown)} was thrown`);
}

/** Returns the message of any thrown value. Never throws, even for getters and proxies that do. */
export function messageOf(error: unknown): string {
  try {
    return textOf(error);
  } catch {
    // A getter or a proxy threw.
    return 'an error with an unreadable message';
  }
}

function textOf(error: unknown): string {
  if (typeof error === 'string') return error === '' ? 'an empty string' : error;
  if (typeof error === 'object' && error !== null) {
    const { message }: { readonly message?: unknown } = error;
    if (typeof message === 'string' && message !== '') return message;
    if (error instanceof Error && message === '') return error.name;
  }
  try {
    return JSON.stringify(error) ?? String(error);
  } catch {
    // Cyclic, or with a getter that throws: show only its class.
    return Object.prototype.toString.call(error);
  }
}

/** Returns the message for use inside a sentence: without a full stop. */
export function reasonOf(error: unknown): string {
  return messageOf(error).replace(/\.$/, '');
}

/** Returns the code of a Node.js error, such as `ENOENT`; undefined for any other value. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
