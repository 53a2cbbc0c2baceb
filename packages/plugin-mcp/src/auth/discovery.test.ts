import { describe, expect, it } from 'vitest';

import { serve, type TestServer } from '../../test/auth/issuer.ts';
import { startError, testDirectory } from '../../test/mcp.ts';
import { loginToServer } from '../login.ts';

type Answers = NonNullable<NonNullable<Parameters<typeof serve>[0]>['answers']>;

const document =
  (make: (origin: string) => object): Answers[string] =>
  (_, response, { origin }) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(make(origin)));

const challenge =
  (metadata: (origin: string) => string): Answers[string] =>
  (_, response, { origin }) =>
    void response
      .writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${metadata(origin)}"` })
      .end();

/** Returns the endpoints that a server names: all at its own origin, unless a test says otherwise. */
function namedBy({
  metadata = (origin) => `${origin}/metadata`,
  issuer = (origin) => origin,
  endpoints = {},
}: {
  readonly metadata?: (origin: string) => string;
  readonly issuer?: (origin: string) => string;
  readonly endpoints?: object;
}): Answers {
  return {
    '/mcp': challenge(metadata),
    '/metadata': document((origin) => ({
      resource: `${origin}/mcp`,
      authorization_servers: [issuer(origin)],
    })),
    '/.well-known/oauth-authorization-server': document((origin) => ({
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      registration_endpoint: `${origin}/register`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      ...endpoints,
    })),
  };
}

/** Serves what an attacker would find inside. */
const inside = (): Promise<TestServer> => serve({ needsLogin: true });

/** Does what a browser and a person would. */
async function agree(page: URL): Promise<void> {
  const { headers } = await fetch(page, { redirect: 'manual' });
  await fetch(headers.get('location') ?? '');
}

function logIn(url: string, more: object = {}): Promise<boolean> {
  const directory = testDirectory();
  const options = { servers: { s: { url, ...more } } };
  return loginToServer(
    's',
    options,
    { directory, env: {} },
    { open: agree, signal: AbortSignal.timeout(60_000) },
  );
}

describe('a login to a server that names a private address', () => {
  it.each<readonly [string, (origin: string) => Answers]>([
    ['the metadata of the server', (origin) => namedBy({ metadata: () => `${origin}/metadata` })],
    ['the issuer', (origin) => namedBy({ issuer: () => origin })],
    ['the registration', (origin) => namedBy({ endpoints: { registration_endpoint: `${origin}/register` } })],
  ])('goes nowhere near it as the place of %s', async (_, answersFor) => {
    const victim = await inside();
    const { url } = await serve({ answers: answersFor(victim.origin) });
    await expect(logIn(url)).rejects.toMatchObject({
      code: 'mcp/ADDRESS_REFUSED',
      message: expect.stringContaining(
        'server s failed: The host 127.0.0.1 is not on the public internet',
      ) as string,
    });
    expect(victim.requests).toEqual([]);
  });

  it('sends no code there', async () => {
    const victim = await inside();
    const issuer = await inside();
    const own = namedBy({ endpoints: { token_endpoint: `${victim.origin}/token` } });
    const { url } = await serve({
      answers: {
        ...own,
        '/register': document(() => ({ client_id: 'c', redirect_uris: ['http://127.0.0.1/callback'] })),
        '/authorize': (_, response, { search }) =>
          void response.writeHead(302, { location: `${issuer.origin}/authorize${search}` }).end(),
      },
    });
    const agreeThere = async (page: URL): Promise<void> => {
      const { headers } = await fetch(page, { redirect: 'manual' });
      await agree(new URL(headers.get('location') ?? ''));
    };
    const login = loginToServer(
      's',
      { servers: { s: { url } } },
      { directory: testDirectory(), env: {} },
      { open: agreeThere, signal: AbortSignal.timeout(60_000) },
    );
    await expect(login).rejects.toMatchObject({ code: 'mcp/ADDRESS_REFUSED' });
    expect(victim.requests).toEqual([]);
  });

  it('follows no redirect of its metadata there', async () => {
    const victim = await inside();
    const away: Answers[string] = (_, response) =>
      void response.writeHead(302, { location: `${victim.origin}/metadata` }).end();
    const { url } = await serve({ answers: { ...namedBy({}), '/metadata': away } });
    await expect(logIn(url)).rejects.toMatchObject({ code: expect.stringMatching(/^mcp\//) as string });
    expect(victim.requests).toEqual([]);
  });

  it('does not happen when an agent starts, either', async () => {
    const victim = await inside();
    const { url } = await serve({ answers: namedBy({ metadata: () => `${victim.origin}/metadata` }) });
    const error = await startError({ tokens: testDirectory(), servers: { s: { url } } });
    expect(error).toMatchObject({ code: 'mcp/ADDRESS_REFUSED' });
    expect(victim.requests).toEqual([]);
  });
});

describe('a login through an issuer of another origin', () => {
  it('works where the options allow its address, and shows it no header of the server', async () => {
    const issuer = await inside();
    const server = await serve({ answers: namedBy({ issuer: () => issuer.origin }) });
    const more = { allowAddresses: ['127.0.0.0/8'], headers: { 'X-Team': 'bees' } };
    expect(await logIn(server.url, more)).toBe(true);
    const paths = issuer.requests.map(({ line }) => line);
    expect(paths).toEqual(expect.arrayContaining(['POST /register', 'GET /authorize', 'POST /token']));
    expect(issuer.requests.filter(({ headers }) => 'x-team' in headers)).toEqual([]);
    expect(server.requests.filter(({ headers }) => headers['x-team'] !== 'bees')).toEqual([]);
  });

  it('ends with an error when the issuer never gives the tokens', async () => {
    const silent = await serve({ needsLogin: true, answers: { '/token': () => {} } });
    const { url } = await serve({ answers: namedBy({ issuer: () => silent.origin }) });
    const more = { allowAddresses: ['127.0.0.1'], startTimeoutMs: 1000 };
    await expect(logIn(url, more)).rejects.toMatchObject({ code: expect.stringMatching(/^mcp\//) as string });
  });

  it('needs no such line for the issuer that the options name', async () => {
    const issuer = await inside();
    const { url } = await serve({ answers: namedBy({ issuer: () => issuer.origin }) });
    expect(await logIn(url, { oauth: { issuer: issuer.origin } })).toBe(true);
  });
});
