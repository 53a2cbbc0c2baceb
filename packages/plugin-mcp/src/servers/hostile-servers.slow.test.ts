import { textOf } from '@shallot/core';
import { memoryFiles } from '@shallot/core/files';
import { collectEvents } from '@shallot/testing';
import { describe, expect, it } from 'vitest';

import { agentWith, callTools, raw, said, startError } from '../../test/mcp.ts';

const look = { name: 's_look' };

describe('a server that is wrong', () => {
  it('may print lines to stdout that are no messages: they are ignored, and noted once', async () => {
    const { texts, logged } = await callTools({ servers: { s: raw('junk') } }, [look, look]);
    expect(texts).toEqual([expect.stringMatching(/^pid/), expect.stringMatching(/^pid/)]);
    expect(logged.filter((line) => line.includes('that are no messages'))).toHaveLength(1);
  });

  it('may flood: what it prints holds nothing up and is not kept', async () => {
    const { texts, logged } = await callTools({ servers: { s: raw('flood') } }, [look]);
    expect(texts[0]).toMatch(/^pid/);
    expect(logged.filter((line) => line.includes('noise')).length).toBeLessThanOrEqual(1000);
  });

  it.each([
    ['answers another id', 'other-id', 1000, 'mcp/TIMEOUT'],
    ['knows none of our revisions', 'unknown-revision', 30_000, '1999-01-01'],
  ])('that %s does not start', async (_, mode, startTimeoutMs, reason) => {
    const { code, message } = await startError({ servers: { s: { ...raw(mode), startTimeoutMs } } });
    expect(`${String(code)} ${message}`).toContain(reason);
  });

  it.each([
    ['prints a line without end', 'long-line', 'SERVER_FAILED', 'the answer is larger than 10485760 bytes'],
    ['answers with something else', 'not-a-result', 'RESULT_INVALID', ''],
  ])('that %s fails the call', async (_, mode, code, reason) => {
    const { texts } = await callTools({ servers: { s: raw(mode) } }, [look]);
    const begin = `ERROR The tool s_look failed: mcp/${code}: The call of look failed`;
    expect(texts[0]).toMatch(new RegExp(`^${begin} \\(MCP server s\\): .*${reason}`));
  });

  it('has its long texts kept whole as files', async () => {
    const files = memoryFiles();
    const steps = [{ toolCalls: [look] }, { text: 'Done.' }];
    const { agent } = await agentWith({ servers: { s: raw('long-text') } }, steps, { files });
    const { messages } = await agent.run('Go', { sessionId: 's' });
    const texts = messages.filter(({ role }) => role === 'tool').map(textOf);
    const [, path = ''] =
      /a result of 5000000 characters\. All of it is in the file (\S+): /.exec(texts[0] ?? '') ?? [];
    const kept = await files.readText(`/.shallot${path}`);
    expect(kept.text === 'word '.repeat(1_000_000)).toBe(true);
  });

  it('has longer texts cut, and what is kept is not called all of it', async () => {
    const servers = { s: { ...raw('long-text'), maxResultChars: 100_000 } };
    const { texts } = await callTools({ servers }, [look]);
    expect(texts[0]).toContain('a result of 100000 characters of which s_look had left a part out.');
    expect(texts[0]).not.toContain('All of it');
  });
});

describe('odd tools of a server', () => {
  const names = ({ tools = [] }: { readonly tools?: readonly { readonly name: string }[] } = {}) =>
    tools.map(({ name }) => name);

  it('of one name are one tool: the first, with a warning', async () => {
    const { model, logged } = await callTools({ servers: { s: raw('two-of-one-name') } }, [look]);
    expect(model.requests[0]?.tools).toMatchObject([{ name: 's_look', description: 'the first' }]);
    expect(logged.join('')).toContain('another tool of the server has the name s_look');
  });

  it('have names that providers take', async () => {
    const { model } = await callTools({ servers: { s: raw('long-name') } }, []);
    expect(names(model.requests[0])).toEqual([
      expect.stringMatching(/^s_(?:long)+lo?_[0-9a-f]{8}$/),
      expect.stringMatching(/^s_with_spaces_and_signs_[0-9a-f]{8}$/),
    ]);
    for (const name of names(model.requests[0])) expect(name.length).toBeLessThanOrEqual(64);
  });

  it.each([
    ['refers to itself', 'cycle', { a: 'x' }],
    ['cannot be read', 'unreadable', { a: 1 }],
  ])('with a schema that %s are passed on with it, and called', async (_, mode, args) => {
    const { model, texts } = await callTools({ servers: { s: raw(mode) } }, [{ ...look, args }]);
    expect(JSON.stringify(model.requests[0]?.tools?.[0]?.inputSchema)).toContain('$ref');
    expect(texts[0]).toMatch(/^pid/);
  });

  it('with a schema that cannot be read are told once', async () => {
    const { logged } = await callTools({ servers: { s: raw('unreadable') } }, [look, look]);
    expect(logged.filter((line) => line.includes('its arguments are not checked'))).toHaveLength(1);
  });

  it('with 10,000 properties are left out, with a warning', async () => {
    const { agent, model, logged } = await callTools({ servers: { s: raw('many-properties') } }, []);
    expect(names(model.requests[0])).toEqual([]);
    expect(logged.join('')).toContain(
      'The tool look of the MCP server s: its definition is longer than the 200000 characters that a model is sent of a tool, and it is left out.',
    );
    expect(agent.plugins[0]?.status?.[0]).toContain('0 tools, 1 left out');
  });

  it('that are not valid, nested 2,000 levels deep, or tasks, are left out by name, and the others are there', async () => {
    const { agent, texts, logged } = await callTools({ servers: { s: raw('one-bad') } }, [look]);
    expect(texts).toEqual([expect.stringMatching(/^pid/)]);
    expect(agent.plugins[0]?.status?.[0]).toContain('1 tool, 5 left out');
    const told = logged.join('');
    expect(told).toContain(
      'The tool deep of the MCP server s: its definition is nested more than 100 levels deep',
    );
    expect(told).toContain('The tool task of the MCP server s: it can be called only as a task');
    for (const name of ['no-schema', 'odd', 'no. 6'])
      expect(told).toContain(
        `The tool ${name} of the MCP server s: its definition is not valid by the protocol`,
      );
  });

  it('are left in peace when they are excluded', async () => {
    const servers = { s: { ...raw('one-bad'), exclude: ['deep', 'no*', 'odd', 'task'] } };
    const { logged } = await agentWith({ servers });
    expect(logged.join('')).not.toContain('left out');
  });

  it('with results that do not match their outputSchema give the model an error, with what was returned', async () => {
    const calls = ['fits', 'differs', 'lacks', 'fails', 'unreadable'].map((name) => ({ name: `s_${name}` }));
    const { texts, results, logged } = await callTools({ servers: { s: raw('output') } }, calls);
    const intro =
      'ERROR The tool was executed, but its result does not match the outputSchema of its server:';
    expect(texts).toEqual([
      'a fits',
      expect.stringMatching(new RegExp(`^${intro}\nsize: .*\nThe result:\na differs$`)),
      `${intro}
it has no structuredContent
The result:
a lacks`,
      'ERROR a fails',
      'a unreadable',
    ]);
    expect(results.map(({ data }) => data)).toEqual([{ size: 1 }, undefined, undefined, undefined, { a: 1 }]);
    const told = logged.filter((line) => line.includes('its results are not checked by its outputSchema'));
    expect(told).toEqual([expect.stringContaining('#/nowhere')]);
  });

  it('that change with every list are asked for no more than once a step', async () => {
    const steps = [{ toolCalls: [look] }, { text: 'Done.' }];
    const { agent, model } = await agentWith({ servers: { s: raw('changing') } }, steps);
    const { events } = await collectEvents(agent.stream('Go'));
    const texts = events.flatMap((event) => (event.type === 'tool-end' ? [said(event.message)] : []));
    expect(texts[0]).toMatch(/^pid/);
    expect(model.requests.map(({ tools = [] }) => tools[0]?.description)).toEqual(['look 1', 'look 2']);
  });
});
