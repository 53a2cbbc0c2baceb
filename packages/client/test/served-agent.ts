import { setImmediate as tick } from 'node:timers/promises';

import { createAgent, defineTool, type Agent } from '@shallot/core';
import type { ChatModel } from '@shallot/core/model';
import type { Store } from '@shallot/core/store';
import { createServer, listen, type AgentServer } from '@shallot/server';
import { scriptedModel } from '@shallot/testing';

type Script = Parameters<typeof scriptedModel>[0];

const look = defineTool({
  name: 'look',
  description: 'Looks around.',
  input: { type: 'object', properties: {} },
  effect: 'read',
  async execute(_, { progress }) {
    for (let count = 0; count < 3; count += 1) {
      await progress({ count });
      await tick();
    }
    return 'nothing';
  },
});

const pay = defineTool({
  name: 'pay',
  description: 'Pays.',
  input: { type: 'object', properties: { euros: { type: 'number' } } },
  async execute({ euros }, { interrupt }) {
    const answer = { type: 'object', properties: { decision: { enum: ['approve', 'reject'] } } } as const;
    return interrupt({ kind: 'approval', payload: { euros }, answer });
  },
});

/**
 * Creates an agent that follows the script, with the tools `look` and `pay`. It streams one piece per turn of the event
 * loop.
 */
export function agentOf(store: Store, script: Script): Promise<Agent> {
  const scripted = scriptedModel(script);
  const model: ChatModel = {
    id: scripted.id,
    generate(request, context) {
      const emit: typeof context.emit = async (chunk) => {
        await context.emit(chunk);
        await tick();
      };
      const { signal, wantsChunks } = context;
      return scripted.generate(request, { ...context, signal, wantsChunks, emit });
    },
  };
  return createAgent({ name: 'shop', model, store, tools: [look, pay] });
}

/**
 * Returns the script of a run with `count` steps. Each streams a text and calls a tool that reports its progress. The
 * script depends on the messages alone, so any process can continue the run.
 */
export function stepsOf(count: number): Script {
  return Array.from({ length: count }, () => ({ messages }) => {
    const step = messages.filter(({ role }) => role === 'assistant').length;
    const text = `Step ${step} looks at several things, one after the other.`;
    return { text, ...(step === count - 1 ? {} : { toolCalls: [{ name: 'look' }] }) };
  });
}

/** A server on a port of this machine. */
export interface Served {
  readonly url: string;
  readonly server: AgentServer;
  /** Shuts down cleanly: runs finish their step. */
  close(): Promise<void>;
}

/** Serves an agent on loopback. */
export async function serve(agent: Agent, store: Store, port = 0): Promise<Served> {
  const server = createServer({ agent, store }, { limits: { requestsPerMinute: 100_000 } });
  const listening = await listen(server, { port });
  const close = async (): Promise<void> => {
    await server.close();
    await listening.close();
    await agent.close();
  };
  return { url: listening.url, server, close };
}
