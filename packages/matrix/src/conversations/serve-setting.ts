import { createServer, listen, type AgentServer, type ServerOptions } from '@shallot/server';

import type { Stage } from './conversation.ts';
import type { Setting } from './player.ts';

/** A server on a port of this machine. */
export interface ServedSetting extends AsyncDisposable {
  readonly server: AgentServer;
  readonly url: string;
}

/** Serves the agent of a conversation. */
export async function serveSetting(
  { agentFor, store }: Setting,
  stage: Stage,
  options: ServerOptions = {},
): Promise<ServedSetting> {
  const server = createServer({ agent: await agentFor(stage), store }, options);
  const listening = await listen(server, { port: 0 });
  return {
    server,
    url: listening.url,
    async [Symbol.asyncDispose]() {
      await server.close();
      await listening.close();
    },
  };
}
