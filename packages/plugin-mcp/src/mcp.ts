import { join, resolve } from 'node:path';

import { definePlugin } from '@shallot/core';
import {
  joinInstructions,
  pluginStatusKey,
  preApprovalsKey,
  toolServersKey,
  type PluginSetup,
} from '@shallot/core/plugin';

import manifest from '../package.json' with { type: 'json' };
import { TokenStore } from './auth/token-store.ts';
import { resolveServers } from './config/server-settings.ts';
import type { Fleet } from './fleet.ts';
import { mcpOptions } from './options.ts';
import type { ListedTool } from './tools/listed-tool.ts';
import { DefinitionGate } from './trust/definition-gate.ts';
import type { KnownTools } from './trust/known-tools.ts';

/** The number of tools of a request above which a search for tools is recommended. */
const manyTools = 40;

/** Adds the tools of MCP servers to an agent. */
export const mcp = definePlugin({
  name: 'mcp',
  version: manifest.version,
  api: manifest.shallot.api,
  priority: 43,
  options: mcpOptions,
  async setup({
    id,
    options,
    directory,
    locateOption,
    protect,
    env,
    hooks,
    tools,
    state,
    log,
    onStart,
    onStop,
    provide,
  }) {
    const settings = await resolveServers(options, { directory, env, locateOption, protect });
    const { definitions = locateOption === undefined ? false : join('.shallot', 'mcp-tools.json') } = options;
    // Without a config file, the plugin writes no file unless told to.
    const known =
      definitions === false ? undefined : await openKnownTools(resolve(directory, definitions), protect);
    const gate = new DefinitionGate(id, state, known);
    let fleet: Fleet | undefined;
    onStart(async () => {
      // Imported lazily, because the MCP client takes a sixth of a second to load.
      const { Fleet: Servers } = await import('./fleet.ts');
      const { providerFor } = await import('./auth/stored-provider.ts');
      const tokenDirectory = resolve(directory, options.tokens);
      fleet = new Servers(settings, {
        log,
        add: tools.add,
        elicit: options.elicit,
        known,
        oauthFor: (server) => providerFor(server, new TokenStore(tokenDirectory, server.name, server.url)),
      });
      await fleet.start();
    });
    onStop(() => fleet?.close());
    hooks.beforeModel.tapPromise('prepare step', async (request) => {
      await fleet?.prepareStep();
      const added = fleet?.instructions() ?? [];
      if (added.length === 0) return undefined;
      return { ...request, instructions: joinInstructions(request.instructions, ...added) };
    });
    let isTold = false;
    // Innermost, so that tools that other plugins hide do not count, because they are not sent.
    hooks.beforeModel.tap({ name: 'count tools', priority: 0 }, ({ tools: offered = [] }) => {
      if (isTold || offered.length <= manyTools) return;
      const own = new Set(fleet?.tools.map(({ tool }) => tool.name));
      const count = offered.filter(({ name }) => own.has(name)).length;
      if (count <= manyTools) return;
      isTold = true;
      log.warn(
        { code: 'mcp/MANY_TOOLS' },
        `Each model call is sent ${count} tools of MCP servers. Let the model search for them: add the plugin toolset with the option search: {}, or choose tools by include.`,
      );
    });
    hooks.wrapToolCall.tapPromise({ name: 'definition', gate: true }, async (call, next, scope) => {
      const listed = await fleet?.findListed(call.name);
      return listed === undefined ? next(call) : gate.enter(call, next, scope, listed);
    });
    provide(pluginStatusKey(id), {
      lines: () => fleet?.status() ?? [],
      settled: async () => fleet?.settled(),
    });
    provide(toolServersKey(id), { serverOf: (tool) => serverToolOf(fleet?.find(tool)) });
    provide(preApprovalsKey(id), {
      allows: ({ name }) => {
        const listed = fleet?.find(name);
        return listed?.isReadOnly === true
          ? `${listed.settings.name} is trusted, and says that it only reads`
          : undefined;
      },
    });
  },
});

/**
 * Returns the name of a tool at its server; undefined for tools of this plugin itself, such as those that read
 * resources.
 */
function serverToolOf(
  listed: ListedTool | undefined,
): { readonly server: string; readonly name: string } | undefined {
  return listed?.listed === undefined
    ? undefined
    : { server: listed.settings.name, name: listed.listed.name };
}

async function openKnownTools(path: string, protect: PluginSetup['protect']): Promise<KnownTools> {
  protect.file(path, 'state');
  const { KnownTools: Known } = await import('./trust/known-tools.ts');
  return Known.open(path);
}
