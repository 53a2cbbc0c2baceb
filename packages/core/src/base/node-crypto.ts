import type Crypto from 'node:crypto';

/** `node:crypto`, loaded when it is first needed: importing the core must cost nothing that a run can pay. */
export function nodeCrypto(): typeof Crypto {
  return process.getBuiltinModule('node:crypto');
}

export function randomId(prefix: string): string {
  return `${prefix}_${nodeCrypto().randomUUID()}`;
}
