import {
  ClientCredentialsProvider,
  type OAuthClientInformationContext,
  type OAuthClientMetadata,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import { ShallotError } from '@shallot/core';

import type { HttpSettings } from '../config/server-settings.ts';
import type { OAuthOptions } from '../options.ts';
import type { StoredLogin, TokenStore } from './token-store.ts';

/** The client name shown by issuers. */
const clientName = 'Shallot';

/**
 * Returns the login of a server; undefined if it is disabled. @throws `mcp/CONFIG_INVALID` if the grant "client" lacks an
 * option
 */
export function providerFor(
  { oauth, name }: HttpSettings,
  store: TokenStore,
): OAuthClientProvider | undefined {
  if (oauth === undefined) return undefined;
  const { grant, clientId, clientSecret, issuer: expectedIssuer, scope } = oauth;
  if (grant !== 'client') return new StoredProvider(name, oauth, store);
  if (clientId === undefined || clientSecret === undefined || expectedIssuer === undefined) {
    throw new ShallotError('mcp/CONFIG_INVALID', {
      message: `The MCP server ${name} has the grant "client", which needs a clientId, a clientSecret and the issuer that they are for.`,
    });
  }
  return new ClientCredentialsProvider({
    clientId,
    clientSecret,
    clientName,
    expectedIssuer,
    ...(scope === undefined ? {} : { scope }),
  });
}

/** Uses and refreshes stored tokens. Without tokens it fails with the command to log in; it registers no client. */
export class StoredProvider implements OAuthClientProvider {
  readonly #server: string;
  readonly #options: OAuthOptions;
  protected readonly store: TokenStore;

  constructor(server: string, options: OAuthOptions, store: TokenStore) {
    this.#server = server;
    this.#options = options;
    this.store = store;
  }

  /** Tells the client library that a person logs in; this URL is never visited. */
  get redirectUrl(): string {
    return 'http://127.0.0.1/callback';
  }

  get clientMetadata(): OAuthClientMetadata {
    const { clientSecret, scope } = this.#options;
    return {
      client_name: clientName,
      redirect_uris: [this.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      ...(clientSecret === undefined ? { token_endpoint_auth_method: 'none' } : {}),
      ...(scope === undefined ? {} : { scope }),
    };
  }

  /** The URL of the client metadata document, if the client id is one; otherwise empty. */
  get clientMetadataUrl(): string {
    const { clientId = '' } = this.#options;
    return clientId.startsWith('https://') ? clientId : '';
  }

  async clientInformation(
    _?: OAuthClientInformationContext,
  ): Promise<StoredOAuthClientInformation | undefined> {
    const { clientId, clientSecret, issuer } = this.#options;
    if (clientId !== undefined && this.clientMetadataUrl === '')
      return {
        client_id: clientId,
        ...(clientSecret === undefined ? {} : { client_secret: clientSecret }),
        ...(issuer === undefined ? {} : { issuer }),
      };
    const { client } = await this.store.read();
    return client ?? this.unregistered();
  }

  /** Fails instead of registering a client, because no person can log in here. */
  protected unregistered(): undefined {
    throw this.loginRequired();
  }

  saveClientInformation(client: StoredOAuthClientInformation): Promise<void> {
    return this.store.update({ client });
  }

  async tokens(): Promise<StoredOAuthTokens | undefined> {
    return (await this.store.read()).tokens;
  }

  saveTokens(tokens: StoredOAuthTokens): Promise<void> {
    return this.store.update({ tokens, wantedScope: undefined });
  }

  async redirectToAuthorization(url: URL): Promise<void> {
    const wantedScope = url.searchParams.get('scope') ?? undefined;
    await this.store.update({ wantedScope });
    throw this.loginRequired();
  }

  saveCodeVerifier(verifier: string): Promise<void> {
    return this.store.update({ verifier });
  }

  async codeVerifier(): Promise<string> {
    return (await this.store.read()).verifier ?? '';
  }

  saveDiscoveryState(discovery: OAuthDiscoveryState): Promise<void> {
    return this.store.update({ discovery });
  }

  async discoveryState(): Promise<OAuthDiscoveryState | undefined> {
    return (await this.store.read()).discovery;
  }

  async invalidateCredentials(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): Promise<void> {
    const members = scope === 'all' ? (['client', 'tokens', 'verifier', 'discovery'] as const) : [scope];
    const change: StoredLogin = Object.fromEntries(members.map((member) => [member, undefined]));
    await this.store.update(change);
  }

  protected loginRequired(): ShallotError {
    return new ShallotError('mcp/LOGIN_REQUIRED', {
      message: `The MCP server ${this.#server} requires a login. Run: shallot mcp login ${this.#server}`,
    });
  }
}
