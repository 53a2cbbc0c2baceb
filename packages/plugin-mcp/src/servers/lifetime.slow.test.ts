import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { definePlugin, type Logger } from '@shallot/core';
import { describe, expect, it } from 'vitest';

import {
  agentWith,
  callTools,
  marked,
  markedProcesses,
  program,
  raw,
  said,
  startError,
  testDirectory,
  type TestAgent,
} from '../../test/mcp.ts';
import { resolveServers } from '../config/server-settings.ts';
import { Server } from './server.ts';

/** Two processes have to start, perhaps beside many others. */
const patient = { timeout: 50_000 };
const call = (name: string) => ({ toolCalls: [{ name }] });

/** A logger as plugins get it. */
async function aLogger(): Promise<Logger> {
  const { promise, resolve } = Promise.withResolvers<Logger>();
  const plugin = definePlugin({ name: 'catcher', setup: ({ log }) => resolve(log) })();
  await agentWith({}, [], { plugins: [plugin] });
  return promise;
}

describe('the start of servers', () => {
  it('is side by side: each of these waits for the other', async () => {
    const meeting = testDirectory();
    const servers = {
      a: program('meeting-server.ts', meeting, 'a'),
      b: program('meeting-server.ts', meeting, 'b'),
    };
    const { agent } = await agentWith({ servers });
    expect(agent.tools.list().map(({ name }) => name)).toEqual(['a_look', 'b_look']);
  });

  it('fails with a name when it takes too long, and leaves no process', async () => {
    const error = await startError({ servers: { slow: { ...raw('silent'), startTimeoutMs: 300 } } });
    expect(error).toMatchObject({
      code: 'mcp/TIMEOUT',
      message: expect.stringContaining(
        'The MCP server slow did not start: it did not answer within 300 ms. If it needs longer, raise startTimeoutMs',
      ) as string,
    });
  });

  it.each([
    [
      'a program that is missing',
      { command: 'nosuchprogram' },
      'The MCP server s did not start: the program "nosuchprogram" is not installed, or not on the PATH.',
    ],
    [
      'arguments in the command',
      { command: 'npx -y something' },
      'Put the arguments into args: command: npx, args: [-y, something]',
    ],
    [
      'a directory that is missing',
      { ...raw('look'), cwd: '/no/such/directory' },
      'there is no directory "/no/such/directory". Correct cwd',
    ],
    [
      'a program that crashes',
      raw('crash'),
      'the program ended with the exit code 7; it wrote: the database is not there',
    ],
    ['a program that knows no revision of ours', raw('unknown-revision'), '1999-01-01'],
  ])('fails with the reason for %s', async (_, options, reason) => {
    const error = await startError({ servers: { s: options } });
    expect(error).toMatchObject({
      code: 'mcp/SERVER_FAILED',
      message: expect.stringContaining(reason) as string,
    });
  });

  it('reports all servers that fail in one error, and stops those that were there', async () => {
    const servers = { one: raw('crash'), two: raw('look'), three: { command: '/no/such/program' } };
    const { message } = await startError({ servers });
    expect(message).toMatch(/2 MCP servers did not start:\n.*one.*\n.*three/);
  });

  it('goes on without an optional server, with a warning', async () => {
    const servers = { gone: { ...raw('crash'), optional: true }, here: raw('look') };
    const { agent, logged } = await agentWith({ servers });
    expect(agent.tools.list().map(({ name }) => name)).toEqual(['here_look']);
    await expect.poll(() => logged.join('')).toContain('The MCP server gone did not start');
    expect(agent.plugins[0]?.status).toEqual([
      expect.stringMatching(/^gone {2}left out: .*the database is not there/),
      expect.stringMatching(/^here {2}2025-11-25 {2}1 tool/),
    ]);
  });
});

describe('revisions', () => {
  it.each([
    ['one that only speaks the oldest', raw('oldest'), '2024-11-05'],
    ['one that ends when it is asked for its revision', raw('ends-when-asked'), '2025-11-25'],
    [
      'one that does not answer the question',
      { ...raw('ignores-discover'), startTimeoutMs: 2000 },
      '2025-11-25',
    ],
    ['one that is not asked', { ...raw('ends-when-asked'), legacy: true }, '2025-11-25'],
    ['one of the newest', program('everyday-server.ts'), '2026-07-28'],
  ])('are negotiated with %s', async (_, options, revision) => {
    const { agent } = await agentWith({ servers: { s: options } });
    expect(agent.plugins[0]?.status?.[0]).toContain(`s  ${revision}  `);
  });
});

describe('a program that dies', () => {
  const servers = { s: program('everyday-server.ts') };
  const results = ({ messages }: Awaited<ReturnType<TestAgent['agent']['resume']>>) =>
    messages.flatMap((message) => (message.role === 'tool' ? [said(message)] : []));

  it('during a call is asked about, and started again when it is needed', async () => {
    const add = { toolCalls: [{ name: 's_add', args: { a: 1, b: 1 } }] };
    const { agent } = await agentWith({ servers }, [call('s_die'), add, { text: 'Done.' }]);
    const waiting = await agent.run('Go', { sessionId: 'x' });
    expect(waiting.interrupts).toMatchObject([
      {
        kind: 'unknown-effect',
        payload: {
          tool: 's_die',
          message:
            'The call of die was sent to the MCP server s, and the connection was lost before the answer arrived. It is not known whether it took effect.',
        },
      },
    ]);
    const [question] = waiting.interrupts;
    const again = await agent.resume('x', { [question?.id ?? '']: { action: 'repeat' } });
    expect(again.interrupts).toMatchObject([{ kind: 'unknown-effect' }]);
    const [second] = again.interrupts;
    expect(second?.id).not.toBe(question?.id);
    const done = await agent.resume('x', { [second?.id ?? '']: { action: 'result', result: 'It died.' } });
    expect(results(done)).toEqual(['It died.', '2']);
  });

  it('during a call that only reads is started again, and gets the call again', async () => {
    const folder = testDirectory();
    const options = { ...raw('dies-once', folder), trusted: true };
    const { texts } = await callTools({ servers: { s: options } }, [{ name: 's_look' }]);
    expect(texts).toEqual([expect.stringMatching(/^pid/)]);
  });

  it('each time it is called does not hold the run for ever', async () => {
    const { texts } = await callTools({ servers: { s: { ...raw('dies-reading'), trusted: true } } }, [
      { name: 's_look' },
    ]);
    expect(texts).toEqual([expect.stringContaining('mcp/SERVER_GONE: The call of look failed')]);
  });

  it('between two calls loses neither', async () => {
    const { agent, mark, logged } = await agentWith({ servers: { s: raw('look') } }, [
      call('s_look'),
      async () => {
        for (const pid of markedProcesses(mark)) process.kill(pid, 'SIGKILL');
        await expect.poll(() => logged.join('')).toContain('has ended unexpectedly');
        return call('s_look');
      },
      { text: 'Done.' },
    ]);
    const [first, second] = results(await agent.run('Go'));
    expect([first, second]).toEqual([expect.stringMatching(/^pid/), expect.stringMatching(/^pid/)]);
    expect(first).not.toBe(second);
  });
});

describe('the end of servers', () => {
  it('comes by KILL when they heed neither the end of stdin nor TERM', async () => {
    const { agent, mark, logged } = await agentWith({ servers: { s: raw('hangs-at-the-end') } });
    await agent.close();
    expect(markedProcesses(mark)).toEqual([]);
    expect(logged.join('')).toContain('"stderr":"TERM"');
  });

  it('comes at once while they start', async () => {
    const { servers, mark } = marked({ s: raw('silent') });
    const [settings] = await resolveServers({ servers }, { directory: '/', env: {} });
    if (settings === undefined) throw new Error('there is one');
    const server = new Server(settings, {
      log: await aLogger(),
      onQuestion: () => Promise.reject(new Error('nobody asks')),
      onToolsChanged: () => {},
      oauthFor: () => undefined,
    });
    const starting = server.start();
    starting.catch(() => {});
    await expect.poll(() => markedProcesses(mark)).toHaveLength(1);
    await server.close();
    await expect(starting).rejects.toThrow('it was closed before it had started');
    expect(markedProcesses(mark)).toEqual([]);
  });

  it('takes with it what they have started', async () => {
    const { agent, mark } = await agentWith({ servers: { s: raw('starts-others') } });
    expect(markedProcesses(mark)).toHaveLength(2);
    await agent.close();
    expect(markedProcesses(mark)).toEqual([]);
  });

  it('comes with the end of their stdin when the agent is killed', async () => {
    const folder = testDirectory();
    const child = spawn(process.execPath, [
      join(import.meta.dirname, '../../test/programs/killed-agent.ts'),
      folder,
    ]);
    await expect.poll(() => existsSync(join(folder, 'agent-started')), patient).toBe(true);
    const pid = Number(readFileSync(join(folder, 'ready'), 'utf8'));
    child.kill('SIGKILL');
    await expect.poll(() => existsSync(join(folder, 'stdin-ended')), patient).toBe(true);
    await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false);
  });
});

describe('a call', () => {
  it('is cancelled at the server when the run is aborted', async () => {
    const { agent, logged } = await agentWith({ servers: { s: program('everyday-server.ts') } }, [
      call('s_wait'),
    ]);
    const controller = new AbortController();
    const run = agent.run('Go', { signal: controller.signal });
    run.catch(() => {});
    await expect.poll(() => logged.join('')).toContain('waiting');
    controller.abort();
    await expect(run).rejects.toMatchObject({ code: 'RUN_ABORTED' });
    await expect.poll(() => logged.join('')).toContain('cancelled');
  });

  it('ends with a named error when it takes too long', async () => {
    const servers = { s: { ...program('everyday-server.ts'), callTimeoutMs: 50 } };
    const { texts } = await callTools({ servers }, [{ name: 's_wait' }]);
    expect(texts[0]).toContain(
      'mcp/TIMEOUT: The call of wait failed (MCP server s): there was no sign of progress for 50 ms. If it needs longer, raise callTimeoutMs',
    );
  });

  it('ends with a named error when it takes too long in all, whatever progress there is', async () => {
    const servers = { s: { ...program('everyday-server.ts'), maxCallMs: 300 } };
    const { texts } = await callTools({ servers }, [{ name: 's_count', args: { to: 10_000, everyMs: 20 } }]);
    expect(texts[0]).toContain('mcp/TIMEOUT: The call of count failed (MCP server s): it was not finished');
    expect(texts[0]).toContain('within 300 ms. If it needs longer, raise maxCallMs');
  });

  it('goes on for as long as there is progress', async () => {
    const servers = { s: { ...program('everyday-server.ts'), callTimeoutMs: 1500 } };
    const { texts, events } = await callTools({ servers }, [
      { name: 's_count', args: { to: 18, everyMs: 100 } },
    ]);
    expect(texts).toEqual(['counted']);
    expect(events.filter(({ type }) => type === 'tool-progress')).toHaveLength(18);
  });
});
