import { canonicalJson } from './json.ts';
import { nodeCrypto } from './node-crypto.ts';

/** Returns 128 bits of SHA-256 over canonical JSON, in base64url. */
export function digestOf(value: unknown): string {
  // Uses the one-shot `hash`, because a `Hash` object would cost more than the hashing.
  const digest = nodeCrypto().hash('sha256', canonicalJson(value), 'buffer');
  return digest.subarray(0, 16).toString('base64url');
}
