import { resolve } from 'node:path';

import { ShallotError } from '@shallot/core';
import { nearest } from '@shallot/core/plugin';

import { login, type LoginOptions } from './auth/login.ts';
import { TokenStore } from './auth/token-store.ts';
import { resolveServers, type OptionsPlace } from './config/server-settings.ts';
import type { McpSettings } from './options.ts';

export type { LoginOptions } from './auth/login.ts';
export type { OptionsPlace } from './config/server-settings.ts';
export type { McpSettings } from './options.ts';

/**
 * Logs in to a server of some options of the plugin, and keeps the tokens for agents with the same options. Returns false if
 * the server wants no login. @throws `mcp/CONFIG_INVALID` for a server that is not listed, or has no URL; `mcp/LOGIN_FAILED`
 */
export async function loginToServer(
  server: string,
  options: McpSettings,
  place: OptionsPlace,
  how: LoginOptions,
): Promise<boolean> {
  const servers = await resolveServers(options, place);
  const settings = servers.find(({ name }) => name === server);
  if (settings?.kind === 'http') {
    return login(
      settings,
      new TokenStore(resolve(place.directory, options.tokens), server, settings.url),
      how,
    );
  }
  const names = servers.filter(({ kind }) => kind === 'http').map(({ name }) => name);
  const near = nearest(server, names);
  const what = settings === undefined ? 'is not listed' : 'is a program, and needs no login';
  throw new ShallotError('mcp/CONFIG_INVALID', {
    message: `The MCP server "${server}" ${what}. ${near === undefined ? `Servers with a URL: ${names.join(', ') || 'none'}.` : `Did you mean "${near}"?`}`,
  });
}
