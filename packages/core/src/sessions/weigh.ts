/** What V8 takes for a string or an object besides its content. */
const shellBytes = 40;

/** About how many bytes a JSON value takes in memory. */
export function weigh(value: unknown): number {
  if (typeof value === 'string') return shellBytes + value.length;
  if (typeof value !== 'object' || value === null) return 8;
  let bytes = shellBytes;
  for (const member of Object.values(value)) bytes += 8 + weigh(member);
  return bytes;
}
