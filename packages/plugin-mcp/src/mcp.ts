import { resolve } from 'node:path';

import { definePlugin, type Tool } from '@shallot/core';
import { pluginStatusKey, preApprovalsKey } from '@shallot/core/plugin';

import manifest from '../package.json' with { type: 'json' };
import { TokenStore } from './auth/token-store.ts';
import { resolveServers } from './config/server-settings.ts';
import type { Fleet } from './fleet.ts';
import { mcpOptions } from './options.ts';
import { DefinitionGate } from './trust/definition-gate.ts';

/** Outside of layers that select among the tools of a request, so that they can remove these tools. */
const outermost = 100;

/** Adds the tools of MCP servers to an agent. */
export const mcp = definePlugin({
  name: 'mcp',
  version: manifest.version,
  api: manifest.shallot.api,
  priority: 43,
  options: mcpOptions,
  async setup({ id, options, directory, env, hooks, tools, state, log, onStart, onStop, provide }) {
    const settings = await resolveServers(options, { directory, env });
    const gate = new DefinitionGate(id, state);
    let fleet: Fleet | undefined;
    onStart(async () => {
      // Loaded lazily: the MCP client takes a sixth of a second to load.
      const { Fleet: Servers } = await import('./fleet.ts');
      const { providerFor } = await import('./auth/stored-provider.ts');
      const tokenDirectory = resolve(directory, options.tokens);
      fleet = new Servers(settings, {
        log,
        add: tools.add,
        elicit: options.elicit,
        oauthFor: (server) => providerFor(server, new TokenStore(tokenDirectory, server.name, server.url)),
      });
      await fleet.start();
    });
    onStop(() => fleet?.close());
    hooks.beforeModel.tapPromise({ name: 'refresh tools', priority: outermost }, async (request) => {
      const before = ownTools(fleet);
      await fleet?.refresh();
      const now = ownTools(fleet);
      if (before.size === now.size && [...now].every((tool) => before.has(tool))) return undefined;
      const others = (request.tools ?? []).filter((tool) => !before.has(tool));
      return { ...request, tools: [...others, ...now] };
    });
    hooks.wrapToolCall.tapPromise({ name: 'definition', gate: true }, async (call, next, scope) => {
      const listed = fleet?.find(call.name);
      return listed === undefined ? next(call) : gate.enter(call, next, scope, listed);
    });
    provide(pluginStatusKey(id), { lines: () => fleet?.status() ?? [] });
    provide(preApprovalsKey(id), {
      allows: ({ name }) => {
        const listed = fleet?.find(name);
        return listed?.isReadOnly === true
          ? `${listed.server} is trusted, and says that it only reads`
          : undefined;
      },
    });
  },
});

function ownTools(fleet: Fleet | undefined): Set<Tool> {
  return new Set(fleet?.tools.map(({ tool }) => tool));
}
