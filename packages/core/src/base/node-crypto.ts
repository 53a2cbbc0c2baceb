import type Crypto from 'node:crypto';

/** Where the system gives the same random bytes that `node:crypto` has from it, which takes 5 ms of every start to load. */
const source = '/dev/urandom';

/** As many as for 128 ids. */
const size = 2048;
let pool: Buffer | undefined;
let used = size;

let crypto: typeof Crypto | undefined;

/** `node:crypto`, loaded when it is first needed: importing the core must cost nothing that a run can pay. */
export function nodeCrypto(): typeof Crypto {
  crypto ??= process.getBuiltinModule('node:crypto');
  return crypto;
}

/** An id that nobody can guess: a prefix and a random UUID. */
export function randomId(prefix: string): string {
  return `${prefix}_${randomUuid()}`;
}

/** A random UUID, version 4. */
export function randomUuid(): string {
  pool ??= Buffer.allocUnsafeSlow(size);
  if (used === size) {
    if (!readSource(pool)) nodeCrypto().randomFillSync(pool);
    used = 0;
  }
  const at = used;
  used += 16;
  pool[at + 6] = ((pool[at + 6] ?? 0) & 0x0f) | 0x40;
  pool[at + 8] = ((pool[at + 8] ?? 0) & 0x3f) | 0x80;
  const hex = pool.toString('hex', at, used);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** False where there is no such source, or this process may not read it. */
function readSource(bytes: Buffer): boolean {
  const { openSync, fstatSync, readSync, closeSync } = process.getBuiltinModule('node:fs');
  try {
    const file = openSync(source, 'r');
    try {
      return fstatSync(file).isCharacterDevice() && readSync(file, bytes) === bytes.length;
    } finally {
      closeSync(file);
    }
  } catch {
    // The other source is as good.
    return false;
  }
}
