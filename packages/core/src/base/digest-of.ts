import { canonicalJson } from './json.ts';
import { nodeCrypto } from './node-crypto.ts';

/** Returns 128 bits of SHA-256 over canonical JSON, in base64url. */
export function digestOf(value: unknown): string {
  // In one call: an object per digest would cost more than the digest.
  const digest = nodeCrypto().hash('sha256', canonicalJson(value), 'buffer');
  return digest.subarray(0, 16).toString('base64url');
}
