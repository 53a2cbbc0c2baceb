import { nodeCrypto } from './node-crypto.ts';

export function randomId(prefix: string): string {
  return `${prefix}_${nodeCrypto().randomUUID()}`;
}
