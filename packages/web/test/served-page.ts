import { createAgent, defineTool, memoryStore, type Agent } from '@shallot/core';
import type { Store } from '@shallot/core/store';
import askUser from '@shallot/plugin-ask-user';
import hitl from '@shallot/plugin-hitl';
import { createServer, listen, type AgentServer, type ServerOptions } from '@shallot/server';
import { scriptedModel } from '@shallot/testing';

type Script = Parameters<typeof scriptedModel>[0];

/** The inputs of the calls that were executed. */
export interface Desk {
  readonly written: unknown[];
  /** Ends the wait of the tool `look`. */
  readonly go: PromiseWithResolvers<void>;
}

/** A server on a port of this machine, with its page. */
export interface ServedPage {
  readonly url: string;
  readonly desk: Desk;
  readonly store: Store;
  readonly server: AgentServer;
  close(): Promise<void>;
}

/** Serves an agent that follows the script. It has tools that write after approval, look around, and ask. */
export async function servePage(
  script: Script,
  {
    store = memoryStore(),
    port = 0,
    ...options
  }: ServerOptions & { readonly store?: Store; readonly port?: number } = {},
): Promise<ServedPage> {
  const desk: Desk = { written: [], go: Promise.withResolvers() };
  const agent = await agentOf(script, store, desk);
  const server = createServer({ agent, store }, options);
  const listening = await listen(server, { port });
  return {
    url: listening.url,
    desk,
    store,
    server,
    async close() {
      desk.go.resolve();
      await server.close();
      await listening.close();
      await agent.close();
    },
  };
}

function agentOf(script: Script, store: Store, desk: Desk): Promise<Agent> {
  const write = defineTool({
    name: 'write',
    description: 'Writes a file.',
    input: { type: 'object', properties: { path: { type: 'string' }, text: { type: 'string' } } },
    execute(input) {
      desk.written.push(input);
      return 'written';
    },
  });
  const look = defineTool({
    name: 'look',
    description: 'Looks around, until it is told to stop.',
    input: { type: 'object', properties: {} },
    effect: 'read',
    async execute(_, { progress }) {
      await progress('looking behind the curtain');
      await desk.go.promise;
      return 'a cat';
    },
  });
  return createAgent({
    name: 'desk',
    model: scriptedModel(script),
    store,
    tools: [write, look],
    plugins: [hitl({ tools: { write: true } }), askUser()],
  });
}
