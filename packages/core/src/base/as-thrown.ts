/** What was thrown, as something that can be told from nothing: `undefined` and `null` become errors that say so. */
export function asThrown(thrown: unknown): unknown {
  return thrown ?? new Error(`${String(thrown)} was thrown`);
}
