import { definitionOf } from '../trust/definition.ts';
import type { ServerFacts } from '../trust/known-tools.ts';
import type { Callee } from './call-tool.ts';
import type { ListedTool } from './listed-tool.ts';
import { promptTools } from './prompt-tools.ts';
import { resourceTools } from './resource-tools.ts';

/** Returns the tools for resources and prompts that the settings ask for and the server supports. */
export function extraTools(callee: Callee, has: ServerFacts): readonly ListedTool[] {
  const { resources, prompts, trusted } = callee.server.settings;
  const tools = [
    ...(resources && has.resources ? resourceTools(callee) : []),
    ...(prompts && has.prompts ? promptTools(callee) : []),
  ];
  return tools.map((tool) => ({
    settings: callee.server.settings,
    tool,
    definition: definitionOf({ name: tool.name, inputSchema: { type: 'object' } }),
    isReadOnly: trusted,
  }));
}
