/** A random id. `node:crypto` is loaded with the first one: importing the core must cost nothing that a run can pay. */
export function randomId(prefix: string): string {
  return `${prefix}_${process.getBuiltinModule('node:crypto').randomUUID()}`;
}
