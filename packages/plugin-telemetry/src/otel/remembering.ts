/** The maximum length of remembered texts; names and ids are short and repeat. */
const maxLength = 100;
const maxEntries = 1000;

/** Returns a function that caches its results for short texts. */
export function remembering<T extends string | object>(fn: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    if (text.length > maxLength) return fn(text);
    let result = known.get(text);
    if (result === undefined) {
      result = fn(text);
      // Clearing the whole cache is simple and rarely needed.
      if (known.size >= maxEntries) known.clear();
      known.set(text, result);
    }
    return result;
  };
}
