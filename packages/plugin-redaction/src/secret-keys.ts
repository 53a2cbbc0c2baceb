import type { Redactor } from '@shallot/core/plugin';

/** Limits the cache, because models and tools may invent names. */
const maxKnown = 1000;
const probe = 'x';

/**
 * Returns a function that returns true if values under a name are secrets. Results are cached, because few names occur
 * often.
 */
export function secretKeys(redactor: Redactor): (key: string) => boolean {
  const known = new Map<string, boolean>();
  return (key) => {
    let isSecret = known.get(key);
    if (isSecret === undefined) {
      isSecret = JSON.stringify(redactor.value({ [key]: probe })) !== JSON.stringify({ [key]: probe });
      if (known.size === maxKnown) known.clear();
      known.set(key, isSecret);
    }
    return isSecret;
  };
}
