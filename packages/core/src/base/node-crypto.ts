import type Crypto from 'node:crypto';

let crypto: typeof Crypto | undefined;

/** `node:crypto`, loaded when it is first needed: importing the core must cost nothing that a run can pay. */
export function nodeCrypto(): typeof Crypto {
  crypto ??= process.getBuiltinModule('node:crypto');
  return crypto;
}

export function randomId(prefix: string): string {
  return `${prefix}_${nodeCrypto().randomUUID()}`;
}
