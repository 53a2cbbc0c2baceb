import type { Redactor } from '@shallot/core/plugin';

/** Names that models and tools make up are not remembered without end. */
const maxKnown = 1000;
const probe = 'x';

/** Makes the function that finds out whether what stands under a name is a secret. The same few names come again and again. */
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
