import type Crypto from 'node:crypto';

/** The source of random bytes on Unix. Loading `node:crypto` instead would add 5 ms to every start. */
const source = '/dev/urandom';

/** The size of the pool, enough for 128 ids. */
const size = 2048;
let pool: Buffer | undefined;
let used = size;

let crypto: typeof Crypto | undefined;

/** Returns `node:crypto`, loaded on first use to keep the import of the core cheap. */
export function nodeCrypto(): typeof Crypto {
  crypto ??= process.getBuiltinModule('node:crypto');
  return crypto;
}

/** Returns an id that cannot be guessed: a prefix and a random UUID. */
export function randomId(prefix: string): string {
  return `${prefix}_${randomUuid()}`;
}

/** Returns a random UUID (version 4). */
export function randomUuid(): string {
  pool ??= Buffer.allocUnsafeSlow(size);
  if (used === size) {
    if (!readSource(pool)) nodeCrypto().randomFillSync(pool);
    used = 0;
  }
  const at = used;
  used += 16;
  pool.writeUInt8((pool.readUInt8(at + 6) & 0x0f) | 0x40, at + 6);
  pool.writeUInt8((pool.readUInt8(at + 8) & 0x3f) | 0x80, at + 8);
  const hex = pool.toString('hex', at, used);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Fills the buffer. Returns false if the source cannot fill it. */
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
    // The caller uses `node:crypto` instead.
    return false;
  }
}
