import type { AgentContext } from '@agentclientprotocol/sdk';

import type { EditorContext, EditorMcpServer, ServedAgent } from './served-agent.ts';
import type { EditorBuffers } from './unsaved-files.ts';

/** The abilities that an editor named when it connected. */
export interface EditorAbilities {
  readonly forms: boolean;
  readonly notices: boolean;
  readonly compactions: boolean;
  readonly reads: boolean;
  readonly writes: boolean;
}

/** The facts about a session that its runs get. */
export interface EditorContextParts {
  readonly id: string;
  /** The absolute directory of the session. */
  readonly cwd: string;
  /** The editor's other directories, by their places in the files. */
  readonly roots: Readonly<Record<string, string>>;
  /** The editor's MCP servers, by name. */
  readonly mcpServers: Readonly<Record<string, EditorMcpServer>>;
  readonly client: AgentContext;
  readonly abilities: EditorAbilities;
  /** Returns the agent with which runs begin now. */
  readonly served: () => ServedAgent;
}

/** The longest time that an editor may take to show a file, in milliseconds. */
const maxShowMs = 5000;

/** Returns the context of the runs of a session. */
export function editorContext({
  id: sessionId,
  cwd,
  roots,
  mcpServers,
  client,
  abilities,
  served,
}: EditorContextParts): EditorContext {
  const servers = Object.keys(mcpServers);
  const buffers = (): EditorBuffers => ({
    read: async (path) => {
      const cancellationSignal = AbortSignal.timeout(maxShowMs);
      const options = { cancellationSignal, stopWaitingOnCancel: true } as const;
      return (await client.request('fs/read_text_file', { sessionId, path }, options)).content;
    },
    ...(abilities.writes && {
      write: async (path, content) => {
        await client.request('fs/write_text_file', { sessionId, path, content });
      },
    }),
  });
  return {
    cwd,
    ...(Object.keys(roots).length > 0 && { roots }),
    ...(servers.length > 0 && { mcpServers: servers }),
    ...(abilities.reads && served().unsavedFiles === true && { buffers: buffers() }),
  };
}
