/** Returns a time in milliseconds as ISO 8601 in UTC, to the second. */
export function shortTime(time: number): string {
  return new Date(time).toISOString().replace(/\.\d+Z$/, 'Z');
}
