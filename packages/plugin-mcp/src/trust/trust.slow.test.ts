import { definePlugin, textOf, type Interrupt, type JsonValue } from '@shallot/core';
import { preApprovalsKey, type PreApprovals } from '@shallot/core/plugin';
import { describe, expect, it } from 'vitest';

import { agentWith, callTools, raw, reference } from '../../test/mcp.ts';

const look = { toolCalls: [{ name: 's_look' }] };
const answer = ([interrupt]: readonly Interrupt[], value: JsonValue) => ({ [interrupt?.id ?? '']: value });

describe('a tool whose definition has changed since the session first used it', () => {
  /** The server of this mode has another description in each list, and says so in each call. */
  async function changed() {
    const test = await agentWith({ servers: { s: raw('changing') } }, [look, look, { text: 'Done.' }]);
    return { ...test, result: await test.agent.run('Go', { sessionId: 'x' }) };
  }

  it('is asked about, with the difference', async () => {
    const { result } = await changed();
    expect(result.outcome).toBe('interrupted');
    expect(result.interrupts).toMatchObject([
      {
        kind: 'approval',
        plugin: 'mcp',
        call: { name: 's_look' },
        payload: {
          decisions: ['approve', 'reject'],
          description: expect.stringContaining('has changed what this tool is') as string,
        },
      },
    ]);
    expect(JSON.stringify(result.interrupts[0]?.payload)).toContain(
      '-  \\"description\\": \\"look 1\\",\\n+  \\"description\\": \\"look 2\\",',
    );
  });

  it('is executed once a person approves, and remembered as it is then', async () => {
    const { agent, result } = await changed();
    const done = await agent.resume('x', answer(result.interrupts, { decision: 'approve' }));
    expect(done.outcome).toBe('completed');
    const results = done.messages.filter(({ role }) => role === 'tool').map((message) => textOf(message));
    expect(results).toEqual([expect.stringMatching(/^pid/), expect.stringMatching(/^pid/)]);
    expect(JSON.stringify((await agent.session('x'))?.state)).toContain('look 2');
  });

  it('is not executed when a person rejects', async () => {
    const { agent, result } = await changed();
    const done = await agent.resume('x', answer(result.interrupts, { decision: 'reject', reason: 'odd' }));
    expect(done.messages.at(-2)).toMatchObject({ isError: true, denied: { by: 'mcp', reason: 'odd' } });
  });

  it('is not asked about in another session', async () => {
    const { agent } = await agentWith({ servers: { s: raw('changing') } }, [
      look,
      { text: 'Done.' },
      look,
      { text: 'Done.' },
    ]);
    for (const sessionId of ['one', 'two'])
      expect((await agent.run('Go', { sessionId })).outcome).toBe('completed');
  });
});

describe("a server's hints about its tools", () => {
  it('count for nothing unless it is trusted', async () => {
    const { agent } = await agentWith({ servers: { s: raw('hints') } });
    expect(agent.tools.list().map(({ effect, kind }) => [effect, kind])).toEqual([
      ['write', undefined],
      ['write', undefined],
      ['write', undefined],
    ]);
  });

  it('do not give an untrusted tool a title, which would stand before its name', async () => {
    const untrusted = await agentWith({ servers: { s: raw('titled') } });
    const trusted = await agentWith({ servers: { s: { ...raw('titled'), trusted: true } } });
    expect([untrusted, trusted].map(({ agent }) => agent.tools.list()[0]?.title)).toEqual([
      undefined,
      'Harmless [31m',
    ]);
  });

  it('give a trusted one effects and kinds, and approvals a reason', async () => {
    let approvals: PreApprovals | undefined;
    const reader = definePlugin({
      name: 'reader',
      setup: ({ onReady, use }) => onReady(() => void (approvals = use(preApprovalsKey('mcp')))),
    })();
    const { agent } = await agentWith({ servers: { s: { ...raw('hints'), trusted: true } } }, [], {
      plugins: [reader],
    });
    const tools = agent.tools.list();
    expect(tools.map(({ name, title, effect, kind }) => [name, title, effect, kind])).toEqual([
      ['s_read', 'Reads it', 'read', 'read'],
      ['s_fetch', undefined, 'read', 'fetch'],
      ['s_set', undefined, 'idempotent', undefined],
    ]);
    const allowed = tools.map(({ name }) =>
      approvals?.allows({ id: '1', index: 0, name, input: {} }, {} as never),
    );
    expect(allowed).toEqual([
      expect.stringContaining('trusted'),
      expect.stringContaining('trusted'),
      undefined,
    ]);
  });
});

describe('resources and prompts', () => {
  const all = (more: object) => ({ all: { ...reference('everything', 'stdio'), include: [], ...more } });

  it('are no tools unless the options say so', async () => {
    const { agent } = await agentWith({ servers: all({}) });
    expect(agent.tools.list()).toEqual([]);
  });

  it('can be listed and read as tools', async () => {
    const { texts } = await callTools({ servers: all({ resources: true, prompts: true }) }, [
      { name: 'all_list_resources' },
      { name: 'all_read_resource', args: { uri: 'demo://resource/dynamic/text/1' } },
      { name: 'all_list_prompts' },
      { name: 'all_get_prompt', args: { name: 'args-prompt', arguments: { city: 'Oslo' } } },
      { name: 'all_read_resource', args: { uri: 'demo://nowhere' } },
      { name: 'all_get_prompt', args: { name: 'nothing' } },
    ]);
    expect(texts[0]).toContain('demo://resource/dynamic/text/{resourceId}');
    expect(texts[1]).toContain('demo://resource/dynamic/text/1:\n');
    expect(texts[2]).toMatch(/args-prompt {2}city, state\?/);
    expect(texts[3]).toMatch(/^user:\n.*Oslo/);
    expect(texts[4]).toContain(
      'ERROR The tool all_read_resource failed: mcp/SERVER_ERROR: The reading of the resource failed',
    );
    expect(texts[5]).toContain('mcp/SERVER_ERROR: The prompt failed');
  });
});
