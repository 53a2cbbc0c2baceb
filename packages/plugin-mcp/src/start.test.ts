import { join } from 'node:path';

import type { Agent } from '@shallot/core';
import { describe, expect, it } from 'vitest';

import { hiveServer, serve } from '../test/auth/issuer.ts';
import { agentWith, callTools, said, startError, testDirectory } from '../test/mcp.ts';

/** A server that answers only while it is not held. */
async function serveHeld() {
  let going = Promise.withResolvers<void>();
  const server = await serve({ before: () => going.promise });
  return {
    url: server.url,
    requests: server.requests,
    letGo: () => {
      going.resolve();
      going = { ...going, promise: Promise.resolve() };
    },
    hold: () => void (going = Promise.withResolvers()),
    /** Drops the connection of each request. */
    refuse: () => {
      going = Promise.withResolvers();
      going.promise.catch(() => {});
      going.reject(new Error('it refuses'));
    },
  };
}

const inFolder = () => join(testDirectory(), 'mcp-tools.json');
const statusOf = ({ plugins }: Agent) => plugins[0]?.status ?? [];
const done = { text: 'Done.' };

/** A file that knows a server as it is while it is not held. */
async function fileThatKnows({ url, letGo, hold }: Awaited<ReturnType<typeof serveHeld>>) {
  const definitions = inFolder();
  letGo();
  const { agent } = await agentWith({ servers: { s: { url } }, definitions });
  await agent.close();
  hold();
  return definitions;
}

describe('the first model call', () => {
  it('waits for none of twenty servers, three of which are optional and never answer', async () => {
    const definitions = inFolder();
    const { url } = await serve();
    const alive = Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`s${n}`, { url }]));
    await agentWith({ servers: alive, definitions });
    const dead = await serveHeld();
    const optional = { url: dead.url, optional: true };
    const { agent, model } = await agentWith(
      { servers: { dead1: optional, ...alive, dead2: optional, dead3: optional }, definitions },
      [done],
    );
    await agent.run('Go');
    expect(model.requests[0]?.tools).toHaveLength(17);
    expect(statusOf(agent).filter((line) => line.includes('connecting')).length).toBeGreaterThanOrEqual(3);
    dead.letGo();
  });

  it('offers the tools of a known server that does not answer yet; their call waits for it', async () => {
    const server = await serveHeld();
    const definitions = await fileThatKnows(server);
    let answered = 0;
    const { agent, model } = await agentWith({ servers: { s: { url: server.url } }, definitions }, [
      () => {
        answered = server.requests.length;
        server.letGo();
        return { toolCalls: [{ name: 's_look' }] };
      },
      done,
    ]);
    const before = server.requests.length;
    const { messages } = await agent.run('Go');
    expect(model.requests[0]?.tools?.map(({ name }) => name)).toEqual(['s_look']);
    expect(messages.flatMap((each) => (each.role === 'tool' ? [said(each)] : []))).toEqual(['a hive']);
    // One request was open, and none was answered.
    expect([before, answered]).toEqual([answered, answered]);
    // The list is as it was known: the tools stay the very same.
    expect(model.requests[1]?.tools?.[0]).toBe(model.requests[0]?.tools?.[0]);
  });

  it('is made without the tools of an optional server that is new; they follow when it is there', async () => {
    const server = await serveHeld();
    const { agent, model } = await agentWith({ servers: { s: { url: server.url, optional: true } } }, [
      done,
      done,
    ]);
    await agent.run('Go');
    server.letGo();
    await expect.poll(() => statusOf(agent)[0]).toContain('1 tool');
    await agent.run('Go');
    expect(model.requests.map(({ tools = [] }) => tools.length)).toEqual([0, 1]);
  });
});

describe('a known server that is not there', () => {
  it('fails the run, and not the start, unless it is optional', async () => {
    const server = await serveHeld();
    const definitions = await fileThatKnows(server);
    server.refuse();
    const servers = { s: { url: server.url } };
    const { agent, logged } = await agentWith({ servers, definitions }, [done]);
    expect(await agent.settled()).toMatchObject([{ code: 'mcp/SERVER_FAILED', plugin: 'mcp' }]);
    expect(logged.join('')).toContain('Runs fail until it is there.');
    await expect(agent.run('Go')).rejects.toMatchObject({
      code: 'mcp/SERVER_FAILED',
      message: expect.stringContaining('The MCP server s did not start') as string,
    });
    server.letGo();
    expect((await agent.run('Go')).outcome).toBe('completed');
  });

  it('fails the call if it is optional', async () => {
    const server = await serveHeld();
    const definitions = await fileThatKnows(server);
    const servers = { s: { url: server.url, optional: true, startTimeoutMs: 50 } };
    const { texts } = await callTools({ servers, definitions }, [{ name: 's_look' }]);
    expect(texts).toEqual([expect.stringContaining('mcp/TIMEOUT: The MCP server s did not start')]);
  });

  it.each([false, true])(
    'that lists no tools is asked for them once, within its time (legacy: %s)',
    async (legacy) => {
      let asked = 0;
      const silent = () => new Promise<never>(() => {});
      const makeServer = () => {
        const made = hiveServer();
        made.server.setRequestHandler('ping', silent);
        made.server.setRequestHandler('tools/list', () => {
          asked += 1;
          return silent();
        });
        return made;
      };
      const { url } = await serve({ makeServer });
      const error = await startError({ servers: { s: { url, legacy, startTimeoutMs: 1000 } } });
      expect(error.message).toContain(
        'The list of its tools failed (MCP server s): it did not answer within 1000 ms. If it needs longer, raise startTimeoutMs',
      );
      expect(asked).toBe(1);
    },
  );

  it('is waited for when nothing is known of it', async () => {
    const server = await serveHeld();
    const error = await startError({ servers: { s: { url: server.url, startTimeoutMs: 50 } } });
    expect(error.message).toContain('The MCP server s did not start: it did not answer within 50 ms');
  });
});
