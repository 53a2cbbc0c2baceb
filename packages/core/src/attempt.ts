/** What was thrown, or undefined. */
export async function attempt(work: () => Promise<unknown>): Promise<unknown> {
  try {
    await work();
    return undefined;
  } catch (error) {
    return error ?? new Error('undefined was thrown');
  }
}
