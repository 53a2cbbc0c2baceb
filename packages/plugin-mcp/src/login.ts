import { resolve } from 'node:path';

import { ShallotError } from '@shallot/core';
import { nearest } from '@shallot/core/plugin';

import { login, type LoginOptions } from './auth/login.ts';
import { TokenStore } from './auth/token-store.ts';
import { resolveServers, type OptionsPlace } from './config/server-settings.ts';
import { mcpOptions, type McpSettings } from './options.ts';

export type { LoginOptions } from './auth/login.ts';
export type { OptionsPlace } from './config/server-settings.ts';

/**
 * Logs in to a server from plugin options as written in a config, and stores the tokens for agents with these options.
 * Returns false if the server requires no login. @throws `mcp/SERVER_UNKNOWN`, `mcp/CONFIG_INVALID`,
 * `mcp/LOGIN_FAILED`, and errors of the connection
 */
export async function loginToServer(
  server: string,
  options: unknown,
  place: OptionsPlace,
  how: LoginOptions,
): Promise<boolean> {
  const settings = await readOptions(options);
  const servers = await resolveServers(settings, place);
  const found = servers.find(({ name }) => name === server);
  if (found?.kind !== 'http') throw unknownServer(server, servers, found !== undefined);
  const tokens = new TokenStore(resolve(place.directory, settings.tokens), server, found.url);
  return login(found, tokens, how);
}

async function readOptions(options: unknown): Promise<McpSettings> {
  const checked = await mcpOptions['~standard'].validate(options ?? {});
  if (checked.issues === undefined) return checked.value;
  const issues = checked.issues.map(
    ({ path = [], message }) => `  ${path.map(String).join('.')}: ${message}`,
  );
  throw new ShallotError('mcp/CONFIG_INVALID', {
    message: `The options of mcp are not valid:\n${issues.join('\n')}`,
  });
}

function unknownServer(
  server: string,
  servers: readonly { readonly name: string; readonly kind: string }[],
  isProgram: boolean,
): ShallotError {
  const names = servers.filter(({ kind }) => kind === 'http').map(({ name }) => name);
  const near = nearest(server, names);
  const what = isProgram ? 'is a program, and needs no login' : 'is not listed';
  const advice =
    near === undefined ? `Servers with a URL: ${names.join(', ') || 'none'}.` : `Did you mean "${near}"?`;
  return new ShallotError('mcp/SERVER_UNKNOWN', {
    message: `The MCP server "${server}" ${what}. ${advice}`,
  });
}
