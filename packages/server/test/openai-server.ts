import { createAgent, memoryStore, type Agent } from '@shallot/core';
import type { Store } from '@shallot/core/store';
import { scriptedModel } from '@shallot/testing';
import OpenAI from 'openai';
import { onTestFinished } from 'vitest';

import { createServer } from '../src/create-server.ts';
import { listen } from '../src/listen.ts';
import type { ServerOptions } from '../src/server-options.ts';

type Parts = Omit<Parameters<typeof createAgent>[0], 'model' | 'name'>;

/** The agent `shop` on a port of this machine, and an OpenAI client for it. */
export interface OpenAiServer {
  readonly agent: Agent;
  readonly store: Store;
  readonly model: ReturnType<typeof scriptedModel>;
  readonly client: OpenAI;
  readonly url: string;
  /** Returns a client with another API key. */
  clientOf(apiKey: string): OpenAI;
}

/** Serves an agent with a scripted model, until the test ends. */
export async function serveOpenAi(
  script: Parameters<typeof scriptedModel>[0],
  { options = {}, store = memoryStore(), ...parts }: Parts & { options?: ServerOptions; store?: Store } = {},
): Promise<OpenAiServer> {
  const model = scriptedModel(script);
  const agent = await createAgent({ ...parts, name: 'shop', model, store });
  const server = createServer({ agent, store }, options);
  const listening = await listen(server, { port: 0 });
  onTestFinished(async () => {
    await server.close();
    await listening.close();
    await agent.close();
  });
  const clientOf = (apiKey: string): OpenAI => new OpenAI({ apiKey, baseURL: `${listening.url}/v1` });
  return { agent, store, model, client: clientOf('ann'), url: listening.url, clientOf };
}

/** Gives the senders of the API keys `ann` and `bob` an identity of their own, and refuses all others. */
export const owners: NonNullable<ServerOptions['auth']> = (request) => {
  const owner = request.headers.get('authorization')?.replace('Bearer ', '');
  return owner === 'ann' || owner === 'bob' ? { owner } : undefined;
};
