import { definePlugin, type RunInfo, type Tool } from '@shallot/core';
import { checkToolPatterns, type PluginSetup } from '@shallot/core/plugin';

import manifest from '../package.json' with { type: 'json' };
import { toolsetOptions, type Settings } from './options.ts';
import { toolPresenter } from './present-tool.ts';
import { searchTool } from './search-tool.ts';
import { splitOffer } from './split-offer.ts';

/**
 * Chooses the tools that the model sees: hides tools, replaces their descriptions, and lets the model search for them.
 */
export const toolset = definePlugin({
  name: 'toolset',
  version: manifest.version,
  api: manifest.shallot.api,
  priority: 44,
  options: toolsetOptions,
  setup(plugin) {
    const { options, hooks, onReady, log } = plugin;
    const { hide, describe, returnDirectly, search } = options;
    onReady((agent) => {
      const patterns = [...hide, ...Object.keys(describe), ...returnDirectly, ...(search?.offer ?? [])];
      checkToolPatterns(patterns, agent, { plugin: 'toolset', what: 'The toolset', log });
    });
    const present = toolPresenter(options);
    const offer = search === undefined ? undefined : offerBySearch(plugin, search, present);
    hooks.beforeModel.tap('choose', function choose(request, run) {
      if (request.tools === undefined) return;
      const shown = request.tools.flatMap((tool) => present(tool) ?? []);
      return { ...request, tools: offer === undefined ? shown : offer(shown, run) };
    });
  },
});

/** Adds the search tool. Returns a function that selects the tools for a request. */
function offerBySearch(
  { hooks, tools, state, onReady }: PluginSetup<Settings>,
  search: NonNullable<Settings['search']>,
  present: (tool: Tool) => Tool | undefined,
): (shown: readonly Tool[], run: RunInfo) => readonly Tool[] {
  const found = state<readonly string[]>({ key: 'found', initial: () => [] });
  /** The tools of the last request, by run. */
  const latest = new Map<string, readonly Tool[]>();
  let registered: readonly Tool[] = [];
  onReady((agent) => {
    registered = agent.tools.flatMap((tool) => present(tool) ?? []);
  });
  hooks.afterAgent.tap('forget', (_result, run) => void latest.delete(run.id));
  const split = (shown: readonly Tool[], run: RunInfo) => splitOffer(shown, search, found.get(run));
  tools.add(
    searchTool({
      name: search.toolName,
      limit: search.limit,
      // A search resumed in another process runs before that process makes a request.
      candidates: (run) => split(latest.get(run.id) ?? registered, run).rest,
      found: (run, names) => found.update(run, (before) => [...new Set([...before, ...names])]),
    }),
  );
  return (shown, run) => {
    latest.set(run.id, shown);
    return split(shown, run).offered;
  };
}
