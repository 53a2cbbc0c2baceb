import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { serve, type TestServer } from '../../test/auth/issuer.ts';
import { agentWith, callTools, startError, testDirectory } from '../../test/mcp.ts';
import { loginToServer } from '../login.ts';

/** Does what a browser and a person would. */
async function agree(page: URL): Promise<void> {
  const { headers } = await fetch(page, { redirect: 'manual' });
  const back = await fetch(headers.get('location') ?? '');
  expect(await back.text()).toBe('You are logged in, and can close this page.');
}

const how = { open: agree, signal: AbortSignal.timeout(60_000) };

async function loggedIn(): Promise<
  TestServer & { readonly options: object; readonly tokens: string; readonly directory: string }
> {
  const server = await serve({ needsLogin: true });
  const directory = testDirectory();
  const tokens = join(directory, 'tokens');
  const options = { tokens, servers: { s: { url: server.url } } };
  expect(await loginToServer('s', options, { directory, env: {} }, how)).toBe(true);
  return { ...server, options, tokens, directory };
}

describe('a server that requires a login', () => {
  it('does not start without one, and says how to log in', async () => {
    const { url, requests } = await serve({ needsLogin: true });
    const error = await startError({ tokens: testDirectory(), servers: { s: { url } } });
    expect(error).toMatchObject({
      code: 'mcp/LOGIN_REQUIRED',
      message: expect.stringContaining(
        'The MCP server s requires a login. Run: shallot mcp login s',
      ) as string,
    });
    expect(requests.map(({ line }) => line)).not.toContain('POST /register');
  });

  it('is used with the tokens of a login, which nobody else can read', async () => {
    const { options, tokens } = await loggedIn();
    const { texts } = await callTools(options, [{ name: 's_look' }]);
    expect(texts).toEqual(['a hive']);
    const [file = '', ...others] = readdirSync(tokens);
    expect(others).toEqual([]);
    expect(statSync(join(tokens, file)).mode & 0o777).toBe(0o600);
    expect(statSync(tokens).mode & 0o777).toBe(0o700);
  });

  it('is used on when its tokens have to be renewed', async () => {
    const { options, expireTokens, requests } = await loggedIn();
    expireTokens();
    const { texts } = await callTools(options, [{ name: 's_look' }]);
    expect(texts).toEqual(['a hive']);
    expect(
      requests.filter(({ line }) => line === 'POST /authorize' || line === 'GET /authorize'),
    ).toHaveLength(1);
  });

  it('gets no tokens that were made for another URL', async () => {
    const { tokens } = await loggedIn();
    const other = await serve({ needsLogin: true });
    const error = await startError({ tokens, servers: { s: { url: other.url } } });
    expect(error).toMatchObject({ code: 'mcp/LOGIN_REQUIRED' });
    expect(
      other.requests.map(({ headers }) => headers.authorization).filter((each) => each !== undefined),
    ).toEqual([]);
  });

  it('is not logged in to by a page with another state', async () => {
    const server = await serve({ needsLogin: true });
    const directory = testDirectory();
    const controller = new AbortController();
    const forge = async (page: URL): Promise<void> => {
      const back = new URL(page.searchParams.get('redirect_uri') ?? '');
      back.search = 'code=stolen&state=forged';
      expect((await fetch(back)).status).toBe(404);
      controller.abort(new Error('nobody logged in'));
    };
    await expect(
      loginToServer(
        's',
        { servers: { s: { url: server.url } } },
        { directory, env: {} },
        { open: forge, signal: controller.signal },
      ),
    ).rejects.toThrow('nobody logged in');
    expect(
      readFileSync(
        join(directory, '.shallot/mcp', readdirSync(join(directory, '.shallot/mcp'))[0] ?? ''),
        'utf8',
      ),
    ).not.toContain('access_token');
  });

  it('says why the issuer refused', async () => {
    const server = await serve({ needsLogin: true });
    const refuse = async (page: URL): Promise<void> => {
      const back = new URL(page.searchParams.get('redirect_uri') ?? '');
      back.search = new URLSearchParams({
        error: 'access_denied',
        state: page.searchParams.get('state') ?? '',
      }).toString();
      await fetch(back);
    };
    const login = loginToServer(
      's',
      { tokens: testDirectory(), servers: { s: { url: server.url } } },
      { directory: '/', env: {} },
      { ...how, open: refuse },
    );
    await expect(login).rejects.toMatchObject({
      code: 'mcp/LOGIN_FAILED',
      message: 'The login to the MCP server s failed: access_denied.',
    });
  });
});

describe('a login', () => {
  const place = { directory: '/', env: {} };

  it('is not needed where the server lets everybody in', async () => {
    const { url } = await serve();
    expect(await loginToServer('s', { tokens: testDirectory(), servers: { s: { url } } }, place, how)).toBe(
      false,
    );
  });

  it.each([
    ['issue', 'The MCP server "issue" is not listed. Did you mean "issues"?'],
    ['files', 'The MCP server "files" is a program, and needs no login. Servers with a URL: issues.'],
  ])('needs a server with a URL: %s', async (name, message) => {
    const servers = { issues: { url: 'https://x.example' }, files: { command: 'x' } };
    await expect(loginToServer(name, { servers }, place, how)).rejects.toMatchObject({
      code: 'mcp/SERVER_UNKNOWN',
      message,
    });
  });

  it('says what is wrong with the options', async () => {
    await expect(loginToServer('s', { servers: { s: { urk: 1 } } }, place, how)).rejects.toMatchObject({
      code: 'mcp/CONFIG_INVALID',
    });
  });
});

describe('a server over HTTP', () => {
  it('gets the headers of the options, with each request', async () => {
    const { url, requests } = await serve();
    const servers = { s: { url, headers: { Authorization: 'Bearer own', 'X-Team': 'bees' } } };
    const { agent, texts } = await callTools({ servers }, [{ name: 's_look' }]);
    expect(texts).toEqual(['a hive']);
    expect(agent.plugins[0]?.status?.[0]).toMatch(/^s {2}2026-07-28 {2}1 tool {2}http/);
    expect(requests.length).toBeGreaterThan(2);
    for (const { headers } of requests)
      expect(headers).toMatchObject({ authorization: 'Bearer own', 'x-team': 'bees' });
  });

  it('may speak an older revision', async () => {
    const { url } = await serve();
    const { agent } = await agentWith({ servers: { s: { url, legacy: true } } });
    expect(agent.plugins[0]?.status?.[0]).toContain('s  2025-11-25  1 tool');
  });

  it.each([
    [
      'is not there',
      {},
      'http://127.0.0.1:2/mcp',
      'nothing listens at http://127.0.0.1:2/mcp. Start the server, or correct its url',
    ],
    ['has no such host', {}, 'http://nowhere.invalid/mcp', 'nowhere.invalid'],
    ['has no such path', {}, '/elsewhere', 'it answered with the HTTP status 404. Correct its url'],
    [
      'does not speak the protocol',
      { '/mcp': page('text/html', '<p>hello</p>') },
      '/mcp',
      'is no MCP server: Unexpected content type: text/html. Correct its url',
    ],
    [
      'speaks the transport of 2024',
      { '/sse': page('text/html', '<h1>Cannot POST /sse</h1>', 404) },
      '/sse',
      'speaks the transport of 2024 (HTTP with SSE), which streamable HTTP has replaced.',
    ],
    ['answers with nonsense', { '/mcp': page('application/json', '{"jsonrpc":') }, '/mcp', 'JSON'],
    ['answers with an error', { '/mcp': page('text/plain', 'out of order', 503) }, '/mcp', '503'],
    [
      'redirects to a private address',
      { '/mcp': page('text/plain', '', 307, 'http://169.254.169.254/latest') },
      '/mcp',
      'redirect',
    ],
    ['wants a login with broken metadata', broken('{"resource":'), '/mcp', 'requires a login'],
    [
      'wants a login for another resource',
      broken('{"resource":"https://evil.example/mcp","authorization_servers":["https://evil.example"]}'),
      '/mcp',
      'evil.example',
    ],
  ])('that %s is a named error', async (_, answers, path, reason) => {
    const { origin } = await serve({ answers });
    const url = path.startsWith('http') ? path : `${origin}${path}`;
    const error = await startError({
      tokens: testDirectory(),
      servers: { s: { url, startTimeoutMs: 5000 } },
    });
    expect(error).toMatchObject({
      code: expect.stringMatching(/^mcp\//) as string,
      message: expect.stringContaining(reason) as string,
    });
  });

  it('that never ends its answer is cut off', async () => {
    const endless: Answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const timer = setInterval(() => response.write(' '.repeat(1024 * 1024)), 1);
      response.on('close', () => clearInterval(timer));
    };
    const { url } = await serve({ answers: { '/mcp': endless } });
    const error = await startError({ servers: { s: { url } } });
    expect(error.message).toContain('larger than 10485760 bytes');
  });
});

type Answer = NonNullable<NonNullable<Parameters<typeof serve>[0]>['answers']>[string];

function page(type: string, body: string, status = 200, location?: string): Answer {
  return (_, response) => {
    response.writeHead(status, { 'content-type': type, ...(location === undefined ? {} : { location }) });
    response.end(body);
  };
}

/** A server that requires a login, and whose metadata is this. */
function broken(metadata: string): Readonly<Record<string, Answer>> {
  return {
    '/mcp': (_, response, { origin }) => {
      response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${origin}/metadata"` });
      response.end();
    },
    '/metadata': page('application/json', metadata),
  };
}
