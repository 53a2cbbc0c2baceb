import { isSecretName } from './secret-names.ts';

/** A redacted key; `isSecret` if its name marks its value as a secret. */
export interface RedactedKey {
  readonly shown: string;
  readonly isSecret: boolean;
}

/** Longer keys, and more keys than this, are data and not cached. */
const maxLength = 64;
const maxEntries = 1000;

/** Returns a function that redacts keys, with a cache for short ones, since log lines repeat the same keys. */
export function keyReader(text: (text: string) => string): (key: string) => RedactedKey {
  const known = new Map<string, RedactedKey>();
  return (key) => {
    let redacted = known.get(key);
    if (redacted === undefined) {
      redacted = { shown: text(key), isSecret: isSecretName(key) };
      if (known.size >= maxEntries) known.clear();
      if (key.length <= maxLength) known.set(key, redacted);
    }
    return redacted;
  };
}
