import { definePlugin } from '@shallot/core';
import { joinInstructions } from '@shallot/core/plugin';
import type { StateRecord } from '@shallot/core/store';

import manifest from '../package.json' with { type: 'json' };
import { isEditorContext } from './editor-files.ts';
import type { EditorContext } from './served-agent.ts';

const id = 'acp';
const serversKey = 'mcp-servers';

/**
 * Tells the model where the further directories of an editor are, and notes in a session which MCP servers of the editor it was
 * begun with. Add it to an agent that `serveAcp` serves.
 */
export const editorPlugin = definePlugin({
  name: id,
  version: manifest.version,
  api: '^1.0.0',
  setup({ hooks, state }) {
    const servers = state<readonly string[]>({ key: serversKey, initial: () => [] });
    hooks.beforeAgent.tap('note servers', function noteServers(run) {
      const { mcpServers = [] } = contextOf(run.context);
      const noted = servers.get(run);
      const all = [...new Set([...noted, ...mcpServers])];
      if (all.length > noted.length) servers.set(run, all);
    });
    hooks.beforeModel.tap('further directories', function nameRoots(request, run) {
      const roots = Object.entries(contextOf(run.context).roots ?? {});
      if (roots.length === 0) return undefined;
      const lines = roots.map(([place, directory]) => `- ${place} is ${directory}`);
      const text = `Beside the working directory "/", these directories of the user are part of the files:\n${lines.join('\n')}`;
      return { ...request, instructions: joinInstructions(request.instructions, text) };
    });
  },
});

/** Returns the names of the MCP servers of an editor that a session was begun with. */
export function serversNoted(state: StateRecord | undefined): readonly string[] {
  const noted = state?.[id]?.[serversKey]?.value;
  return Array.isArray(noted) ? noted.filter((name) => typeof name === 'string') : [];
}

/** Returns the context of a run that an editor began; an empty object for other runs. */
function contextOf(context: unknown): Partial<EditorContext> {
  return isEditorContext(context) ? context : {};
}
