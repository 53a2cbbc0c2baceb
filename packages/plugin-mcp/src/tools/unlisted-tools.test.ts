import { join } from 'node:path';

import type { Agent } from '@shallot/core';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { hiveServer, serve } from '../../test/auth/issuer.ts';
import { agentWith, testDirectory } from '../../test/mcp.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

const later = () => vi.setSystemTime(Date.now() + 31_000);
const done = { text: 'Done.' };
const statusOf = ({ plugins }: Agent) => plugins[0]?.status?.[0];

/** A server that is there, and refuses to list its tools while it is busy. */
async function serveBusy() {
  const state = { isBusy: false, tools: ['look'], asked: 0 };
  const { url } = await serve({
    makeServer() {
      const made = hiveServer();
      made.server.setRequestHandler('tools/list', () => {
        state.asked += 1;
        if (state.isBusy) throw new Error('the database is busy');
        const tools = state.tools.map((name) => ({ name, inputSchema: { type: 'object' as const } }));
        return { tools, ttlMs: 1000 };
      });
      return made;
    },
  });
  return { url, state };
}

it('an optional server that lists no tools is left out, and asked again', async () => {
  const { url, state } = await serveBusy();
  state.isBusy = true;
  const { agent, logged } = await agentWith({ servers: { s: { url, optional: true } } }, [done, done]);
  await expect.poll(() => statusOf(agent)).toContain('left out: The list of its tools failed');
  expect(logged.join('')).toContain('mcp/SERVER_LEFT_OUT');
  await agent.run('Go');
  expect(state.asked).toBe(1);
  state.isBusy = false;
  later();
  await agent.run('Go');
  await expect.poll(() => statusOf(agent)).toContain('1 tool');
});

it('a known server that lists no tools fails runs until it does', async () => {
  const { url, state } = await serveBusy();
  const definitions = join(testDirectory(), 'mcp-tools.json');
  const first = await agentWith({ servers: { s: { url } }, definitions });
  await first.agent.close();
  state.isBusy = true;
  const { agent } = await agentWith({ servers: { s: { url } }, definitions }, [done]);
  expect(await agent.settled()).toMatchObject([{ code: 'mcp/SERVER_ERROR' }]);
  await expect(agent.run('Go')).rejects.toThrow('The list of its tools failed (MCP server s)');
  state.isBusy = false;
  expect(await agent.run('Go')).toMatchObject({ outcome: 'completed' });
});

it('a list that could not be fetched again is asked for later', async () => {
  const { url, state } = await serveBusy();
  const { agent, model } = await agentWith(
    { servers: { s: { url } } },
    Array.from({ length: 4 }, () => done),
  );
  const offered = () => model.requests.at(-1)?.tools?.map(({ name }) => name);
  state.isBusy = true;
  state.tools = ['smoke'];
  later();
  await agent.run('Go');
  await expect.poll(() => state.asked).toBe(2);
  state.isBusy = false;
  await agent.run('Go');
  expect([state.asked, offered()]).toEqual([2, ['s_look']]);
  later();
  await agent.run('Go');
  await expect.poll(() => agent.tools.list().map(({ name }) => name)).toEqual(['s_smoke']);
});
