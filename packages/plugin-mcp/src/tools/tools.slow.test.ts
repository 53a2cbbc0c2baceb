import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { createAgent, definePlugin, defineTool } from '@shallot/core';
import type { ReadyAgent } from '@shallot/core/plugin';
import { scriptedModel } from '@shallot/testing';
import { describe, expect, it } from 'vitest';

import { agentWith, callTools, program, reference, said, startError, testDirectory } from '../../test/mcp.ts';
import mcp from '../index.ts';

const everyday = program('everyday-server.ts');

describe('the tools of a server', () => {
  it('give the model and programs what the server sends', async () => {
    const { results } = await callTools({ servers: { s: everyday } }, [
      { name: 's_add', args: { a: 1, b: 2 } },
      { name: 's_mixed' },
      { name: 's_fail' },
    ]);
    expect(results.map(({ content, data, isError }) => ({ content, data, isError }))).toMatchSnapshot();
  });

  it('have arguments that are checked by their schema', async () => {
    const { texts } = await callTools({ servers: { s: everyday } }, [{ name: 's_add', args: { a: 'one' } }]);
    expect(texts[0]).toMatch(/^ERROR .*\n?.*b/);
  });

  it('are taken, left out and named as the options say', async () => {
    const servers = {
      s: { ...everyday, include: ['add', 'f*', 'mixed'], exclude: ['mix*'], rename: { add: 'sum' } },
    };
    const { agent } = await agentWith({ servers });
    expect(agent.tools.list().map(({ name }) => name)).toEqual(['sum', 's_fail']);
  });

  it('have a server, and a name there, for other plugins', async () => {
    let ready: ReadyAgent | undefined;
    const curious = definePlugin({
      name: 'curious',
      setup: ({ onReady }) =>
        onReady((agent) => {
          ready = agent;
        }),
    })();
    const servers = { s: { ...everyday, include: ['add', 'fail'], rename: { add: 'sum' } } };
    await using _agent = await createAgent({
      model: scriptedModel([]),
      log: 'silent',
      plugins: [mcp({ servers }), curious],
    });
    expect(['sum', 's_fail', 'ls'].map((tool) => ready?.serverOf(tool))).toEqual([
      { server: 's', name: 'add' },
      { server: 's', name: 'fail' },
      undefined,
    ]);
  });

  it('run with the few variables that every server gets, those of the options, and in their directory', async () => {
    process.env['SHALLOT_TEST_SECRET'] = 'x';
    const cwd = testDirectory();
    const { results } = await callTools({ servers: { s: { ...everyday, cwd, env: { OWN: 'yes' } } } }, [
      { name: 's_environment' },
    ]);
    delete process.env['SHALLOT_TEST_SECRET'];
    const { env, cwd: own } = JSON.parse(results.map(said).join('')) as {
      env: Record<string, string>;
      cwd: string;
    };
    expect(own).toBe(cwd);
    expect(env).toMatchObject({ OWN: 'yes', PATH: process.env['PATH'] });
    expect(env).not.toHaveProperty('SHALLOT_TEST_SECRET');
  });

  it('are there in the next step when the server has changed them', async () => {
    const steps = [
      { toolCalls: [{ name: 's_grow' }] },
      { toolCalls: [{ name: 's_grown' }] },
      { text: 'Done.' },
    ];
    const { agent, model } = await agentWith({ servers: { s: { ...everyday, include: ['grow*'] } } }, steps);
    const result = await agent.run('Go');
    expect(model.requests.map(({ tools = [] }) => tools.map(({ name }) => name))).toEqual([
      ['s_grow'],
      ['s_grow', 's_grown'],
      ['s_grow', 's_grown'],
    ]);
    expect(result.messages.filter(({ role }) => role === 'tool')).toMatchObject([
      {},
      { content: [{ text: 'grown up' }] },
    ]);
  });

  it('are refused at the start when another tool has their name', async () => {
    const look = defineTool({
      name: 's_add',
      description: 'Adds.',
      input: { type: 'object' },
      execute: () => '',
    });
    const servers = { s: everyday };
    await expect(
      createAgent({ model: scriptedModel([]), tools: [look], log: 'silent', plugins: [mcp({ servers })] }),
    ).rejects.toMatchObject({ code: 'TOOL_DUPLICATE', message: expect.stringContaining('s_add') as string });
    expect(
      await startError({
        servers: { a: { ...everyday, rename: { '*': '*' } }, b: { ...everyday, rename: { '*': '*' } } },
      }),
    ).toMatchObject({
      code: 'TOOL_DUPLICATE',
    });
  });

  it('come from a .mcp.json as well', async () => {
    const directory = testDirectory();
    const mcpJson = join(directory, '.mcp.json');
    writeFileSync(
      mcpJson,
      JSON.stringify({
        mcpServers: { s: { command: `\${NOT_SET:-${process.execPath}}`, args: everyday.args } },
      }),
    );
    await using agent = await createAgent({
      model: scriptedModel([]),
      plugins: [mcp({ mcpJson, servers: { s: { include: ['add'] } } })],
    });
    expect(agent.tools.list().map(({ name }) => name)).toEqual(['s_add']);
  });
});

describe('the reference servers', () => {
  it('everything works', async () => {
    const { agent, results } = await callTools({ servers: { all: reference('everything', 'stdio') } }, [
      { name: 'all_echo', args: { message: 'hello' } },
      { name: 'all_get-sum', args: { a: 2, b: 3 } },
      { name: 'all_get-structured-content', args: { location: 'New York' } },
      { name: 'all_get-tiny-image' },
      { name: 'all_get-resource-links', args: { count: 2 } },
      { name: 'all_get-annotated-message', args: { messageType: 'error' } },
      { name: 'all_trigger-long-running-operation', args: { duration: 0.2, steps: 2 } },
    ]);
    expect(agent.plugins[0]?.status?.[0]).toMatch(/^all {2}2025-11-25 {2}/);
    expect(
      results.map(({ content, data }) => ({
        content: content.map((part) => (part.type === 'text' ? part.text : part.mediaType)),
        data,
      })),
    ).toMatchSnapshot();
  });

  it('filesystem works', async () => {
    const root = testDirectory();
    writeFileSync(join(root, 'note.txt'), 'Feed the bees.\n');
    const servers = { files: { ...reference('filesystem', root), cwd: root } };
    const { texts, agent } = await callTools({ servers }, [
      { name: 'files_read_text_file', args: { path: join(root, 'note.txt') } },
      { name: 'files_write_file', args: { path: join(root, 'new.txt'), content: 'new' } },
      { name: 'files_read_text_file', args: { path: '/etc/passwd' } },
    ]);
    expect(texts[0]).toContain('Feed the bees.');
    expect(texts[1]).toContain('Successfully wrote');
    expect(texts[2]).toMatch(/^ERROR .*denied/);
    const edit = agent.tools.list().find(({ name }) => name === 'files_edit_file');
    expect(edit?.inputSchema).toMatchSnapshot();
  });

  it('memory works', async () => {
    const path = join(testDirectory(), 'memory.jsonl');
    const servers = { memory: { ...reference('memory'), env: { MEMORY_FILE_PATH: path } } };
    const entities = [{ name: 'Ada', entityType: 'person', observations: ['keeps bees'] }];
    const { agent } = await agentWith({ servers }, [
      { toolCalls: [{ name: 'memory_create_entities', args: { entities } }] },
      { toolCalls: [{ name: 'memory_search_nodes', args: { query: 'bees' } }] },
      { text: 'Done.' },
    ]);
    const { messages } = await agent.run('Go');
    expect(messages.at(-2)).toMatchObject({ role: 'tool', data: { entities } });
  });
});
