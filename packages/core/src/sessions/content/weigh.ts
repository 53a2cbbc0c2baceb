/** The overhead of a string or object in V8, in bytes. */
const shellBytes = 40;

/** Returns the approximate size of a JSON value in memory, in bytes. */
export function weigh(value: unknown): number {
  if (typeof value === 'string') return shellBytes + value.length;
  if (typeof value !== 'object' || value === null) return 8;
  let bytes = shellBytes;
  for (const member of Object.values(value)) bytes += 8 + weigh(member);
  return bytes;
}
