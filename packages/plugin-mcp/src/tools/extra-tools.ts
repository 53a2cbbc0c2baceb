import { definitionOf } from '../trust/definition.ts';
import type { Callee } from './call-tool.ts';
import type { ListedTool } from './listed-tool.ts';
import { promptTools } from './prompt-tools.ts';
import { resourceTools } from './resource-tools.ts';

/** Returns the tools for resources and prompts that the settings ask for and the server supports. */
export function extraTools(callee: Callee): readonly ListedTool[] {
  const { settings, connected } = callee.server;
  const { resources, prompts, trusted, name } = settings;
  const has = connected?.getServerCapabilities() ?? {};
  const tools = [
    ...(resources && has.resources !== undefined ? resourceTools(callee) : []),
    ...(prompts && has.prompts !== undefined ? promptTools(callee) : []),
  ];
  return tools.map((tool) => ({
    server: name,
    tool,
    definition: definitionOf({ name: tool.name, inputSchema: { type: 'object' } }),
    isReadOnly: trusted,
  }));
}
