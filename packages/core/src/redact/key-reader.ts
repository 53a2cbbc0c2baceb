import { isSecretName } from './secret-names.ts';

/** What becomes of a key, and whether what stands under it is a secret by its name. */
export interface RedactedKey {
  readonly shown: string;
  readonly isSecret: boolean;
}

/** Longer and more than these are not the keys of log lines but data. */
const maxLength = 64;
const maxEntries = 1000;

/** Reads keys, and remembers the short ones: the lines of a log have the same few again and again. */
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
