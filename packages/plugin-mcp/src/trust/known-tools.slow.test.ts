import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Interrupt } from '@shallot/core';
import { describe, expect, it } from 'vitest';

import { agentWith, raw, said, startError, testDirectory } from '../../test/mcp.ts';

const look = { toolCalls: [{ name: 's_look' }] };
const done = { text: 'Done.' };
const approve = ([interrupt]: readonly Interrupt[]) => ({ [interrupt?.id ?? '']: { decision: 'approve' } });
const inFolder = () => join(testDirectory(), 'state', 'mcp-tools.json');

/** Runs a session of its own in an agent of its own. */
async function lookOnce(definitions: string, server = raw('look')) {
  const test = await agentWith({ servers: { s: server }, definitions }, [look, done]);
  await test.agent.settled();
  const result = await test.agent.run('Go', { sessionId: 'x' });
  return { ...test, result };
}

/** Rewrites the file as if the server had listed something else last time. */
function rewrite(path: string, from: string, to: string): void {
  const text = readFileSync(path, 'utf8');
  expect(text).toContain(from);
  writeFileSync(path, text.replace(from, to));
}

describe('the definitions of tools, kept over sessions', () => {
  it('are accepted as a server lists them first, and not asked about', async () => {
    const path = inFolder();
    expect((await lookOnce(path)).result.outcome).toBe('completed');
    expect((await lookOnce(path)).result.outcome).toBe('completed');
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({
      format: 1,
      servers: { s: { resources: false, tools: { look: { definition: { description: 'look' } } } } },
    });
  });

  it('are asked about by another session and agent once they changed, until a person approves', async () => {
    const path = inFolder();
    await lookOnce(path);
    rewrite(path, '"description":"look"', '"description":"as it was"');
    const { agent, result } = await lookOnce(path);
    expect(result.interrupts).toMatchObject([
      {
        kind: 'approval',
        payload: {
          description: 'The MCP server s has changed what this tool is since it was accepted.',
          diff: expect.stringContaining(
            '-  "description": "as it was",\n+  "description": "look",',
          ) as string,
        },
      },
    ]);
    expect((await agent.resume('x', approve(result.interrupts))).outcome).toBe('completed');
    expect((await lookOnce(path)).result.outcome).toBe('completed');
  });

  it('of a tool that a server added later are asked about, whatever a policy says', async () => {
    const path = inFolder();
    await lookOnce(path);
    rewrite(path, '"look": {', '"other": {');
    const { agent, result } = await lookOnce(path);
    expect(result.interrupts).toMatchObject([
      { payload: { description: 'The MCP server s has added this tool since it was first connected to.' } },
    ]);
    const rejected = await agent.resume('x', {
      [result.interrupts[0]?.id ?? '']: { decision: 'reject' },
    });
    expect(rejected.messages.flatMap((each) => (each.role === 'tool' ? [said(each)] : []))).toEqual([
      'ERROR The call of s_look was rejected and not executed: its server has added the tool',
    ]);
    // It was not accepted, and the one that is gone is still known.
    expect((await lookOnce(path)).result.outcome).toBe('interrupted');
    expect(readFileSync(path, 'utf8')).toContain('"isGone":true');
  });

  it('are those of a server: another command under the same name is another one', async () => {
    const path = inFolder();
    await lookOnce(path);
    rewrite(path, '"description":"look"', '"description":"as it was"');
    expect((await lookOnce(path, raw('look', 'again'))).result.outcome).toBe('completed');
  });

  it('are kept nowhere in code, unless the options say so', async () => {
    await agentWith({ servers: { s: raw('look') } });
    expect(existsSync(join('.shallot', 'mcp-tools.json'))).toBe(false);
  });

  it('in a damaged file stop the start, and are not overwritten', async () => {
    const path = inFolder();
    await lookOnce(path);
    writeFileSync(path, '{"format": 1, "serv');
    expect(await startError({ servers: { s: raw('look') }, definitions: path })).toMatchObject({
      code: 'mcp/DEFINITIONS_INVALID',
      message: expect.stringContaining('Restore the file, or delete it') as string,
      at: { file: path },
    });
    expect(readFileSync(path, 'utf8')).toBe('{"format": 1, "serv');
  });
});
