import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  randomBytes,
  type KeyObject,
} from 'node:crypto';
import { resolve } from 'node:path';

import type { JsonValue } from '@shallot/core';
import { ShallotError } from '@shallot/core';
import { keptKey, messageOf } from '@shallot/core/plugin';

/** The default of `keyFile`. */
const defaultKeyFile = '.shallot/key';

const nonceLength = 12;
const tagLength = 16;
/** Ten of these letters have 43 bits. Without vowels and digits, no detector mistakes them for words or numbers. */
const letters = 'BCDFGHJKLMNPQRSTVWXZ';
const tagLetters = 10;

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
  /**
   * A key object that is made once. For other kinds of keys Node makes one at each call, which takes several times as
   * long as the hash.
   */
  readonly #tagKey: KeyObject;

  constructor(secret: string) {
    this.#cipherKey = derived(secret, 'seal');
    this.#tagKey = createSecretKey(derived(secret, 'tag'));
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
 * Returns a function that returns the key from the options, or else from the key file. The file is created on first
 * use if its directory exists. Without a file the key is random, and for this process alone.
 * @throws `KEY_INVALID` for an invalid key file
 */
export function sealKey({ key, keyFile, directory }: KeySource): () => SealKey {
  let known = key === undefined ? undefined : new SealKey(key);
  const kept = key ?? keptKey(resolve(directory, keyFile ?? defaultKeyFile));
  return () => (known ??= new SealKey(typeof kept === 'string' ? kept : kept()));
}

function derived(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `shallot redaction ${purpose}`, 32));
}
