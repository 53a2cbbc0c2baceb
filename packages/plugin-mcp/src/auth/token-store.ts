import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type {
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import { safeName } from '@shallot/core';

import { isJsonObject } from '../is-json-object.ts';

/** The stored result of a login to one server. */
export interface StoredLogin {
  readonly client?: StoredOAuthClientInformation | undefined;
  readonly tokens?: StoredOAuthTokens | undefined;
  readonly discovery?: OAuthDiscoveryState | undefined;
  readonly verifier?: string | undefined;
  /** Scopes that the server has requested since. */
  readonly wantedScope?: string | undefined;
}

/** Stores the login of one server in a file that only its owner can read. A login for another URL is ignored. */
export class TokenStore {
  readonly #directory: string;
  readonly #path: string;
  readonly #url: string;

  constructor(directory: string, server: string, url: URL) {
    this.#directory = directory;
    this.#path = join(directory, `${safeName(server)}.json`);
    this.#url = url.href;
  }

  async read(): Promise<StoredLogin> {
    let text: string;
    try {
      text = await readFile(this.#path, 'utf8');
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
      throw error;
    }
    const stored: unknown = JSON.parse(text);
    if (!isJsonObject(stored) || stored['url'] !== this.#url) return {};
    // `update` wrote it.
    return stored;
  }

  /** Changes members of the stored login; `undefined` removes one. */
  async update(change: StoredLogin): Promise<void> {
    const login = { ...(await this.read()), ...change, url: this.#url };
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    const temporary = `${this.#path}.${randomUUID()}`;
    try {
      await writeFile(temporary, `${JSON.stringify(login, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
      await rename(temporary, this.#path);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }
}
