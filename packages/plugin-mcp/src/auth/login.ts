import { randomUUID } from 'node:crypto';

import {
  Client,
  StreamableHTTPClientTransport,
  UnauthorizedError,
  computeScopeUnion,
} from '@modelcontextprotocol/client';
import { ShallotError } from '@shallot/core';

import manifest from '../../package.json' with { type: 'json' };
import type { HttpSettings } from '../config/server-settings.ts';
import type { OAuthOptions } from '../options.ts';
import { boundedFetch } from '../servers/bounded-fetch.ts';
import { describeFailure } from '../servers/describe-failure.ts';
import { maxMessageBytes } from '../servers/max-message-bytes.ts';
import { serverFetch } from '../servers/server-fetch.ts';
import { openCallbackPage } from './callback-page.ts';
import { StoredProvider } from './stored-provider.ts';
import type { TokenStore } from './token-store.ts';

/** Options of `login`. An abort of `signal` ends the wait for the person. */
export interface LoginOptions {
  /** Opens a page for the person who logs in. */
  readonly open: (url: URL) => void | Promise<void>;
  readonly signal: AbortSignal;
}

/**
 * Logs in to a server: forgets the stored login, and opens the page of its OAuth issuer, which redirects to a local page.
 * Returns true after a login, and false if the server requires none. @throws an error with a code of this plugin, or the
 * reason of the signal
 */
export async function login(
  settings: HttpSettings,
  store: TokenStore,
  { open, signal }: LoginOptions,
): Promise<boolean> {
  const { name, oauth = {}, url } = settings;
  if (oauth.grant === 'client') {
    throw new ShallotError('mcp/CONFIG_INVALID', {
      message: `The MCP server ${name} has the grant "client": the agent logs in by itself.`,
    });
  }
  const state = randomUUID();
  let refused: ShallotError | undefined;
  const page = await openCallbackPage(oauth.port ?? 0, state);
  try {
    const provider = new LoginProvider(name, oauth, store, { redirectUrl: page.url, state, open });
    await provider.forget();
    const transport = new StreamableHTTPClientTransport(url, {
      authProvider: provider,
      fetch: boundedFetch(
        serverFetch(settings, (error) => (refused ??= error)),
        maxMessageBytes,
      ),
    });
    if (await isOpenTo(transport, settings.startTimeoutMs)) return false;
    const parameters = await page.visited(signal);
    refuseError(parameters, name);
    await transport.finishAuth(parameters);
    return true;
  } catch (error) {
    if (signal.aborted) throw error;
    throw describeFailure(refused ?? error, settings, `The login to the MCP server ${name} failed`);
  } finally {
    await page.close();
  }
}

/** Returns true if the server accepts the client; otherwise opens the login page of the issuer. */
async function isOpenTo(transport: StreamableHTTPClientTransport, timeout: number): Promise<boolean> {
  const client = new Client(
    { name: 'shallot', version: manifest.version },
    { versionNegotiation: { mode: 'auto' } },
  );
  try {
    await client.connect(transport, { timeout });
    return true;
  } catch (error) {
    if (error instanceof UnauthorizedError) return false;
    throw error;
  } finally {
    await client.close();
  }
}

function refuseError(parameters: URLSearchParams, server: string): void {
  const error = parameters.get('error');
  if (error === null) return;
  const description = parameters.get('error_description');
  throw new ShallotError('mcp/LOGIN_FAILED', {
    message: `The login to the MCP server ${server} failed: ${error}${description === null ? '' : `, ${description}`}.`,
  });
}

interface LoginWay extends Pick<LoginOptions, 'open'> {
  readonly redirectUrl: string;
  readonly state: string;
}

/** Registers the client if necessary, and opens the issuer's page. */
class LoginProvider extends StoredProvider {
  readonly #way: LoginWay;

  constructor(server: string, options: OAuthOptions, store: TokenStore, way: LoginWay) {
    super(server, options, store);
    this.#way = way;
  }

  override get redirectUrl(): string {
    return this.#way.redirectUrl;
  }

  async state(): Promise<string> {
    return this.#way.state;
  }

  /**
   * Deletes the registration and its tokens, because it contains the redirect URL, whose port may have changed. Keeps the
   * scopes that the server last requested.
   */
  async forget(): Promise<void> {
    await this.store.update({ client: undefined, tokens: undefined, discovery: undefined });
  }

  override async redirectToAuthorization(url: URL): Promise<void> {
    const { wantedScope } = await this.store.read();
    const scope = computeScopeUnion(url.searchParams.get('scope') ?? undefined, wantedScope);
    if (scope !== undefined) url.searchParams.set('scope', scope);
    await this.#way.open(url);
  }

  protected override unregistered(): undefined {
    return undefined;
  }
}
