/** Names and ids are short, and come again and again. */
const maxLength = 100;
const maxEntries = 1000;

/** A function of texts that remembers what it gave for short ones. */
export function remembering<T extends string | object>(fn: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    if (text.length > maxLength) return fn(text);
    let result = known.get(text);
    if (result === undefined) {
      result = fn(text);
      // Starting over is simple, and rare.
      if (known.size >= maxEntries) known.clear();
      known.set(text, result);
    }
    return result;
  };
}
