// The client of the conformance suite: an agent with one server. It calls each of the server's tools, and logs in
// whenever it is told to: `node conformance-client.ts URL`.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createAgent, isShallotError, type Agent } from '@shallot/core';
import { scriptedModel } from '@shallot/testing';

import mcp, { type McpOptions, type OAuthOptions } from '../../src/index.ts';
import { loginToServer } from '../../src/login.ts';

const url = process.argv.at(-1) ?? '';
const { MCP_CONFORMANCE_SCENARIO: scenario = '', MCP_CONFORMANCE_CONTEXT: given = '{}' } = process.env;
const context = JSON.parse(given) as { readonly client_id?: string; readonly client_secret?: string };
const tokens = mkdtempSync(join(tmpdir(), 'shallot-conformance-'));
const options: McpOptions = {
  tokens,
  servers: {
    // The suite's issuers use other ports of this machine.
    s: { url, oauth: await oauthOptions(), allowAddresses: ['127.0.0.1', '::1'], startTimeoutMs: 120_000 },
  },
  elicit: () => ({ action: 'accept', content: {} }),
};

try {
  for (let tries = 0; tries < 3; tries += 1) if (await work()) break;
} finally {
  rmSync(tokens, { recursive: true, force: true });
}

/** Calls all tools. Returns false if a login is needed first. */
async function work(): Promise<boolean> {
  try {
    const calls = scriptedModel([
      ({ tools = [] }) => ({ toolCalls: tools.map(({ name }) => ({ name, args: { a: 5, b: 3 } })) }),
      { text: 'Done.' },
    ]);
    const agent = await createAgent({
      model: calls,
      log: 'silent',
      toolErrors: 'throw',
      plugins: [mcp(options)],
    });
    if (agent.tools.list().length > 0) await callAll(agent);
    await agent.close();
    return true;
  } catch (error) {
    if (!needsLogin(error)) throw error;
    await login();
    return false;
  }
}

/**
 * Returns true for the error of a missing login. At the start the plugin throws it; in a call it is the cause of the
 * run's error.
 */
function needsLogin(error: unknown): boolean {
  return (
    isShallotError(error, 'mcp/LOGIN_REQUIRED') ||
    (error instanceof Error && error.cause !== undefined && needsLogin(error.cause))
  );
}

/** @throws the error of a call that needs another login */
async function callAll(agent: Agent): Promise<void> {
  try {
    await agent.run('Go');
  } finally {
    await agent.close();
  }
}

async function login(): Promise<void> {
  const place = { directory: process.cwd(), env: process.env };
  await loginToServer('s', options, place, { open, signal: AbortSignal.timeout(120_000) });
}

/** Logs in as a person would: the suite's issuer consents at once, and redirects the browser. */
async function open(page: URL): Promise<void> {
  const { headers } = await fetch(page, { redirect: 'manual' });
  await fetch(headers.get('location') ?? '');
}

async function oauthOptions(): Promise<OAuthOptions> {
  const { client_id: clientId, client_secret: clientSecret } = context;
  const client = {
    ...(clientId === undefined ? {} : { clientId }),
    ...(clientSecret === undefined ? {} : { clientSecret }),
  };
  if (scenario === 'auth/client-credentials-basic')
    return { ...client, grant: 'client', issuer: await issuerOf(url) };
  if (scenario === 'auth/basic-cimd')
    return { clientId: 'https://conformance-test.local/client-metadata.json' };
  return client;
}

/** Returns the issuer that the server names. With an id and a secret, its user would know it. */
async function issuerOf(server: string): Promise<string> {
  const { origin, pathname } = new URL(server);
  const response = await fetch(`${origin}/.well-known/oauth-protected-resource${pathname}`);
  const { authorization_servers: issuers = [] } = (await response.json()) as {
    authorization_servers?: string[];
  };
  return issuers[0] ?? '';
}
