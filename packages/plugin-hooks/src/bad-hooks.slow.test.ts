import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

import subagents from '@shallot/plugin-subagents';
import summarization from '@shallot/plugin-summarization';
import { collectEvents } from '@shallot/testing';
import { describe, expect, it } from 'vitest';

import { hookedAgent, loggedIn, script, stepsOf, textsOf } from '../test/hooked-agent.ts';
import type { HookOptions } from './index.ts';

const call = { name: 'shell', args: { command: 'ls' } };

/** Tries a hook at a call: with `pass` the call is executed and a warning says why, with `stop` it is denied. */
async function tryBoth(hook: HookOptions): Promise<readonly [warning: string, denial: string]> {
  await using open = await hookedAgent({ PreToolUse: [hook] }, { steps: stepsOf([call]) });
  const { events } = await collectEvents(open.agent.stream('Go.'));
  expect(open.executed).toHaveLength(1);
  const warnings = events.flatMap((event) =>
    event.type === 'warning' ? [`${event.code}: ${event.message}`] : [],
  );
  await using closed = await hookedAgent(
    { PreToolUse: [{ ...hook, onFailure: 'stop' }] },
    { steps: stepsOf([call]) },
  );
  const result = await closed.agent.run('Go.');
  expect(closed.executed).toEqual([]);
  return [warnings.join('\n'), textsOf(result, 'tool').join()];
}

describe('a command that fails passes with a warning, or denies the call', () => {
  it.each([
    ['is missing', './gone.sh', 'exit status 127'],
    ['prints junk', "echo '{ junk'", 'other than JSON'],
    ['prints a list', "echo '{}}'", 'other than JSON'],
    [
      'decides what nobody knows',
      `echo '{"hookSpecificOutput":{"permissionDecision":"Deny"}}'`,
      'it decided "Deny", which the format does not know',
    ],
    [
      'decides by an unknown word of the first format',
      `echo '{"decision":"Block"}'`,
      'it decided "Block", which the format does not know',
    ],
    ['ends by a signal', 'kill -9 $$', 'signal SIGKILL'],
    ['crashes', script('crash.sh'), 'exit status 1: jq: command not found'],
  ])('%s', async (_, command, why) => {
    for (const said of await tryBoth({ command })) expect(said).toContain(why);
  });

  it('is not executable', async () => {
    const path = join(import.meta.dirname, '..', 'node_modules', `.plain-${process.pid}.sh`);
    writeFileSync(path, '#!/bin/sh\nexit 0\n');
    chmodSync(path, 0o644);
    for (const said of await tryBoth({ command: `'${path}'` })) expect(said).toContain('exit status 126');
  });

  it('hangs', async () => {
    for (const said of await tryBoth({ command: 'sleep 60', timeoutMs: 100 }))
      expect(said).toContain('did not end within 100 ms');
  });

  it('prints 100 MB', async () => {
    for (const said of await tryBoth({ command: 'head -c 100000000 /dev/zero' }))
      expect(said).toContain('more than 1,000,000 bytes');
  });
});

it('a command that prints nothing, or reads nothing, decides nothing', async () => {
  for (const command of ['true', 'exec 0<&-; exit 0', 'cat >/dev/null']) {
    await using tried = await hookedAgent({ PreToolUse: [{ command }] }, { steps: stepsOf([call]) });
    await tried.agent.run('Go.');
    expect(tried.executed).toHaveLength(1);
  }
});

it('of all exit statuses, 2 alone blocks', async () => {
  for (const status of [1, 2, 3, 64, 77, 125, 130, 255]) {
    await using tried = await hookedAgent(
      { PreToolUse: [{ command: `exit ${status}` }] },
      { steps: stepsOf([call]) },
    );
    await tried.agent.run('Go.');
    expect([status, tried.executed.length]).toEqual([status, status === 2 ? 0 : 1]);
  }
});

it('ends what a command leaves running', async () => {
  await using tried = await hookedAgent(
    { PreToolUse: [{ command: '(sleep 0.3; touch late) & exit 0' }] },
    { steps: stepsOf([call]) },
  );
  await tried.agent.run('Go.');
  await sleep(600);
  expect(existsSync(join(tried.root, 'late'))).toBe(false);
});

it('ends with the run that is aborted', async () => {
  await using tried = await hookedAgent(
    { PreToolUse: [{ command: 'touch began; sleep 60' }] },
    { steps: stepsOf([call]) },
  );
  const controller = new AbortController();
  const run = tried.agent.run('Go.', { signal: controller.signal });
  while (!existsSync(join(tried.root, 'began'))) await sleep(10);
  controller.abort();
  await expect(run).rejects.toMatchObject({ code: 'RUN_ABORTED' });
});

describe('a URL', () => {
  async function served<T>(answer: RequestListener, use: (url: string) => Promise<T>): Promise<T> {
    const server = createServer(answer).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    try {
      return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  }

  it('gets the event, and decides', async () => {
    const seen: string[] = [];
    const answer: RequestListener = (request, response) => {
      void text(request).then((body) => {
        seen.push([request.method, request.headers['x-key'], body].join(' '));
        response.end(JSON.stringify({ decision: 'block', reason: 'closed today' }));
      });
    };
    await served(answer, async (url) => {
      const events = { PreToolUse: [{ url, headers: { 'x-key': 'k' } }] };
      await using tried = await hookedAgent(events, { steps: stepsOf([call]) });
      expect(textsOf(await tried.agent.run('Go.'), 'tool').join()).toContain('closed today');
      expect(seen).toEqual([
        expect.stringMatching(/^POST k .*"tool_name":"Bash","tool_input":{"command":"ls"}/),
      ]);
    });
  });

  it.each<[string, RequestListener, string]>([
    [
      'redirects',
      (_, response) => response.writeHead(302, { location: 'http://example.org/' }).end(),
      'status 302, and redirects are not followed',
    ],
    ['answers 500', (_, response) => response.writeHead(500).end('{"decision":"block"}'), 'status 500'],
    ['answers junk', (_, response) => response.end('{ junk'), 'other than JSON'],
    ['says nothing', () => undefined, 'did not answer within 200 ms'],
    ['hangs up', (request) => request.destroy(), 'could not be reached'],
  ])('that %s fails', async (_, answer, why) => {
    await served(answer, async (url) => {
      for (const said of await tryBoth({ url, timeoutMs: 200 })) expect(said).toContain(why);
    });
  });
});

describe('a failing hook of another event', () => {
  const command = 'exit 3';

  it('stops what it is about', async () => {
    const stop = { command, onFailure: 'stop' as const };
    await using prompt = await hookedAgent({ UserPromptSubmit: [stop] });
    await expect(prompt.agent.run('Hi')).rejects.toMatchObject({ code: 'hooks/HOOK_FAILED' });
    await using end = await hookedAgent({ Stop: [stop] }, { steps: stepsOf([]) });
    await expect(end.agent.run('Hi')).rejects.toMatchObject({ code: 'hooks/HOOK_FAILED' });
    await using after = await hookedAgent({ PostToolUse: [stop] }, { steps: stepsOf([call]) });
    expect(textsOf(await after.agent.run('Hi'), 'tool').join()).toContain('its result is withheld');
  });

  it('asks a person', async () => {
    const events = { PreToolUse: [{ command, onFailure: 'ask' as const }] };
    await using tried = await hookedAgent(events, { steps: stepsOf([call]) });
    const { interrupts } = await tried.agent.run('Hi');
    expect(interrupts).toMatchObject([
      { payload: { description: expect.stringContaining('exit status 3') as string } },
    ]);
  });
});

it('children have hooks of their own events', async () => {
  const log = { command: script('log-everything.sh') };
  const events = {
    SubagentStart: [log],
    SubagentStop: [log],
    Stop: [log],
    SessionStart: [log],
    PreToolUse: [log],
  };
  const task = { name: 'task', args: { agent: 'general', description: 'a', prompt: 'Look.' } };
  const steps = [{ toolCalls: [task] }, { toolCalls: [call] }, { text: 'Looked.' }, { text: 'Done.' }];
  const plugins = [subagents({ agents: [{ name: 'general', description: 'Any.' }] })];
  await using tried = await hookedAgent(events, { steps, plugins });
  await tried.agent.run('Go.');
  const seen = loggedIn(tried.root);
  expect(seen.map((each) => [each['hook_event_name'], each['agent_type'], each['tool_name']])).toEqual([
    ['SessionStart', undefined, undefined],
    ['PreToolUse', undefined, 'Task'],
    ['SubagentStart', 'general', undefined],
    ['PreToolUse', 'general', 'Bash'],
    ['SubagentStop', 'general', undefined],
    ['Stop', undefined, undefined],
  ]);
});

it('a script sees the conversation before it is summarized', async () => {
  const events = { PreCompact: [{ command: script('keep-transcript.sh'), transcript: true }] };
  const plugins = [summarization({ trigger: { messages: 3 }, keep: { messages: 1 } })];
  const steps = [{ text: 'One.' }, { text: 'A summary.' }, { text: 'Two.' }];
  await using tried = await hookedAgent(events, { steps, plugins });
  await tried.agent.run('First.', { sessionId: 's' });
  await tried.agent.run('Second.', { sessionId: 's' });
  expect(readFileSync(join(tried.root, 'kept.jsonl'), 'utf8')).toContain('First.');
});
