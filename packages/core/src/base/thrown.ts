/** What was thrown, as something that can be told from nothing: `undefined` and `null` become errors that say so. */
export function asThrown(thrown: unknown): unknown {
  return thrown ?? new Error(`${String(thrown)} was thrown`);
}

/** A text for anything that was thrown; never throws itself, whatever getters and proxies do. */
export function messageOf(error: unknown): string {
  try {
    return textOf(error);
  } catch {
    // It throws when it is read.
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
    // Cyclic, or with a getter that throws: what kind of thing it is says enough.
    return Object.prototype.toString.call(error);
  }
}

/** The same as a part of a sentence: without a full stop. */
export function reasonOf(error: unknown): string {
  return messageOf(error).replace(/\.$/, '');
}

/** `ENOENT` and the like, of an error of Node's. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
