import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { existsSync, linkSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

import type { JsonValue } from '@shallot/core';
import { ShallotError } from '@shallot/core';
import { messageOf } from '@shallot/core/plugin';

/** The default of `keyFile`. */
const defaultKeyFile = '.shallot/key';

/** The format of a key file: 256 bits in base64url. */
const fileFormat = /^[\w-]{43}$/;
const nonceLength = 12;
const tagLength = 16;
/** Ten of these letters have 43 bits. Without vowels and digits, no detector mistakes them for words or numbers. */
const letters = 'BCDFGHJKLMNPQRSTVWXZ';
const tagLetters = 10;

/** The key of this process if there is no other; lost when the process ends. */
const ofProcess = randomBytes(32).toString('base64url');

export interface KeySource {
  readonly key?: string | undefined;
  readonly keyFile?: string | undefined;
  /** The directory to which the path of the key file is relative. */
  readonly directory: string;
}

/** Encrypts values for storage, and derives their tags. */
export class SealKey {
  /** Identifies the key without revealing it. */
  readonly id: string;
  readonly #cipherKey: Buffer;
  readonly #tagKey: Buffer;

  constructor(secret: string) {
    this.#cipherKey = derived(secret, 'seal');
    this.#tagKey = derived(secret, 'tag');
    this.id = derived(secret, 'id').toString('hex').slice(0, 8);
  }

  /** Returns the tag of a value. Equal values have equal tags, which reveal nothing without the key. */
  tagOf(kind: string, value: JsonValue): string {
    const digest = createHmac('sha256', this.#tagKey)
      .update(JSON.stringify([kind, value]))
      .digest();
    return Array.from(
      { length: tagLetters },
      (_, index) => letters[digest.readUInt16BE(2 * index) % letters.length],
    ).join('');
  }

  /** Encrypts a value by AES-256-GCM with a random nonce. The result begins with the key's id. */
  seal(value: JsonValue): string {
    const nonce = randomBytes(nonceLength);
    const cipher = createCipheriv('aes-256-gcm', this.#cipherKey, nonce);
    const body = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()]);
    return `1.${this.id}.${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')}`;
  }

  /** Decrypts a value. @throws `redaction/SEALED` for another key or damaged data */
  unseal(sealed: string): JsonValue {
    const [version, id, text = ''] = sealed.split('.');
    if (version !== '1' || id !== this.id) {
      throw unreadable(`it was sealed with the key ${id ?? ''}, and this process has the key ${this.id}`);
    }
    try {
      const bytes = Buffer.from(text, 'base64url');
      const decipher = createDecipheriv('aes-256-gcm', this.#cipherKey, bytes.subarray(0, nonceLength));
      decipher.setAuthTag(bytes.subarray(nonceLength, nonceLength + tagLength));
      const body = Buffer.concat([
        decipher.update(bytes.subarray(nonceLength + tagLength)),
        decipher.final(),
      ]);
      // Encrypted values were JSON, and are authenticated.
      return JSON.parse(body.toString('utf8')) as JsonValue;
    } catch (error) {
      throw unreadable(`it was damaged: ${messageOf(error)}`);
    }
  }
}

function unreadable(why: string): ShallotError {
  return new ShallotError('redaction/SEALED', {
    message: `A stored value cannot be read: ${why}. Give the plugin the option key or keyFile of the process that stored it.`,
    plugin: 'redaction',
  });
}

/**
 * Returns a function for the key: that of the options, else of the key file, which is created on first use if its
 * directory exists, else a random key of this process. @throws `redaction/KEY_INVALID` for an invalid key file
 */
export function sealKey({ key, keyFile, directory }: KeySource): () => SealKey {
  const path = resolve(directory, keyFile ?? defaultKeyFile);
  let known = key === undefined ? readKey(path) : new SealKey(key);
  return () => (known ??= existsSync(dirname(path)) ? makeKey(path) : new SealKey(ofProcess));
}

function readKey(path: string): SealKey | undefined {
  if (!existsSync(path)) return undefined;
  let secret: string;
  let mode: number;
  try {
    ({ mode } = statSync(path));
    secret = readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw invalid(
      path,
      `cannot be read: ${messageOf(error)}`,
      'Make it readable for the user of this process',
    );
  }
  // Windows does not express read permissions in the mode.
  if (process.platform !== 'win32' && (mode & 0o077) !== 0)
    throw invalid(
      path,
      `can be read by others (mode ${(mode & 0o777).toString(8)})`,
      `Run chmod 600 ${path}`,
    );
  if (!fileFormat.test(secret))
    throw invalid(
      path,
      secret === '' ? 'is empty' : 'does not hold a key of 43 characters in base64url',
      'Restore it from a backup, or delete it: values that were sealed with it are lost then',
    );
  return new SealKey(secret);
}

/** Creates a key file. If another process creates it first, its key is used. */
function makeKey(path: string): SealKey {
  const secret = randomBytes(32).toString('base64url');
  const temporary = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    writeFileSync(temporary, `${secret}\n`, { mode: 0o600, flag: 'wx' });
    linkSync(temporary, path);
    return new SealKey(secret);
  } catch (error) {
    const other = readKey(path);
    if (other !== undefined) return other;
    throw invalid(
      path,
      `cannot be made: ${messageOf(error)}`,
      'Make its folder writable, or set the option key',
    );
  } finally {
    rmSync(temporary, { force: true });
  }
}

function derived(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `shallot redaction ${purpose}`, 32));
}

function invalid(path: string, what: string, remedy: string): ShallotError {
  return new ShallotError('redaction/KEY_INVALID', {
    message: `The key file ${path} ${what}. ${remedy}.`,
    plugin: 'redaction',
  });
}
