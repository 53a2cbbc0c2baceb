/** What a function gives or throws, as a promise. */
export async function attempted<T>(work: () => T): Promise<T> {
  return work();
}
