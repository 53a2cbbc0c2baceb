import { defineTool, ShallotError, type Agent } from '@shallot/core';
import { messageOf } from '@shallot/core/plugin';

import type { ClientTool } from '../work/client-tools.ts';
import type { ServerState } from './server-state.ts';

/**
 * Refuses tools of a request that its run cannot have.
 * @throws `server/REQUEST_INVALID`
 */
export function checkClientTools(state: ServerState, tools: readonly ClientTool[]): void {
  if (tools.length === 0) return;
  if (state.terms.execute === 'workers')
    throw invalid('The server leaves runs to workers, which have no tools of requests. Send none.');
  const own = new Set(ownNames(state.agent));
  for (const { name, description, input } of tools) {
    if (own.has(name))
      throw invalid(`The tool ${JSON.stringify(name)} has the name of another one. Rename it.`);
    own.add(name);
    try {
      defineTool({ name, description, input, execute: () => '' });
    } catch (error) {
      throw invalid(messageOf(error));
    }
  }
}

function ownNames({ tools }: Agent): readonly string[] {
  return tools.list().map(({ name }) => name);
}

function invalid(message: string): ShallotError {
  return new ShallotError('server/REQUEST_INVALID', { message });
}
