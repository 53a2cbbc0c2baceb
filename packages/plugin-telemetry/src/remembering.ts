/** Names and ids are short, and come again and again. */
const maxLength = 100;
const maxEntries = 1000;

/** A function of texts that remembers what it gave for short ones. */
export function remembering(fn: (text: string) => string): (text: string) => string {
  const known = new Map<string, string>();
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
