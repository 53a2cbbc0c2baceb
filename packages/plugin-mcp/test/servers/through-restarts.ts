import type { Agent, Interrupt } from '@shallot/core';
import { expect } from 'vitest';

import { agentWith, said } from '../mcp.ts';
import { serveRestarting, type Death, type Greeting } from './restarting-server.ts';

/** A restart, and the tool that is called at that time. */
export interface Restart {
  readonly death: Death;
  readonly greeting: Greeting;
  readonly tool: 'read' | 'write';
}

/**
 * Calls a tool for each restart. If a person is asked about a call, the answer says what the server has in fact
 * executed. Returns the results, the number of calls that were asked about, and the number of executions of each write.
 */
export async function callThroughRestarts(restarts: readonly Restart[]) {
  const server = await serveRestarting();
  const steps = restarts.map(({ death, greeting, tool }, n) => async () => {
    await server.plan(death, greeting);
    return { toolCalls: [{ name: `s_${tool}`, args: { n } }] };
  });
  // The time limit reveals a silent server, but must be long enough for a live one on a busy machine.
  const callTimeoutMs = restarts.some(({ greeting }) => greeting === 'silence') ? 1000 : 60_000;
  const options = { url: server.url, trusted: true, callTimeoutMs };
  const { agent } = await agentWith({ servers: { s: options } }, [...steps, { text: 'Done.' }], {
    maxSteps: restarts.length + 1,
    log: 'silent',
  });
  let { interrupts, messages } = await agent.run('Go', { sessionId: 's' });
  let asked = 0;
  while (interrupts.length > 0) {
    asked += interrupts.length;
    const next = await agent.resume('s', answersTo(interrupts, server.executed));
    ({ interrupts } = next);
  }
  ({ messages } = await sessionOf(agent));
  const results = messages.flatMap((message) => (message.role === 'tool' ? [said(message)] : []));
  const executions = restarts.map(({ tool }, n) => (tool === 'write' ? (server.executed.get(n) ?? 0) : 1));
  return { results, asked, executions };
}

function answersTo(interrupts: readonly Interrupt[], executed: ReadonlyMap<number, number>) {
  return Object.fromEntries(
    interrupts.map(({ id, kind, payload }) => {
      expect(kind).toBe('unknown-effect');
      // All questions are about calls that have a number.
      const { n } = (payload as { readonly input: { readonly n: number } }).input;
      return [id, executed.has(n) ? { action: 'result', result: `write ${n}` } : { action: 'repeat' }];
    }),
  );
}

async function sessionOf(agent: Agent) {
  const session = await agent.session('s');
  if (session === undefined) throw new Error('there is one');
  return session;
}
