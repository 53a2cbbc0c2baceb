import { createHash } from 'node:crypto';

/** Tells one question from another: SHA-256 of the JSON. */
export function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url');
}
