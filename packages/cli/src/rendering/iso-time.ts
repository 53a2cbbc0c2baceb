/** Returns a time in the form of all output for programs: ISO 8601, in UTC. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
