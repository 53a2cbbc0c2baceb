import { serviceKey, type ServiceKey } from '../plugin.ts';
import type { ServerTool } from '../tool.ts';

/** The servers behind the tools of a plugin. */
export interface ToolServers {
  /** Returns the server of a tool, and the tool's name there; undefined for a tool of no server. */
  readonly serverOf: (tool: string) => ServerTool | undefined;
}

const toolServersPrefix = 'shallot/tool-servers/';

/** Returns the key for the servers of a plugin's tools, by the plugin's id. `ReadyAgent.serverOf` asks all of them. */
export function toolServersKey(plugin: string): ServiceKey<ToolServers> {
  return serviceKey(`${toolServersPrefix}${plugin}`);
}

/** Returns true for a service that is provided under a `toolServersKey`. */
export function isToolServers(name: string, _service: unknown): _service is ToolServers {
  return name.startsWith(toolServersPrefix);
}
