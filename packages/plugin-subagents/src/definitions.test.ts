import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createAgent, defineTool, textOf, type AgentOptions, type Logger, type Message } from '@shallot/core';
import { diskFiles, memoryFiles } from '@shallot/core/files';
import { scriptedModel } from '@shallot/testing';
import { describe, expect, it, onTestFinished } from 'vitest';

import { checkAgents } from './check.ts';
import subagents, { type SubagentsOptions } from './index.ts';

const named = (name: string) =>
  defineTool({
    name,
    description: 'Returns its name.',
    input: { type: 'object' },
    effect: 'read',
    execute: () => name,
  });

const tools = ['read_file', 'write_file', 'grep', 'github_get_issue', 'github_list'].map(named);

const file = (front: string): string => `---\nname: reviewer\ndescription: Reviews.\n${front}---\nReview.\n`;

type Steps = Parameters<typeof scriptedModel>[0];

/** Creates an agent with a definition in a file, or in options. */
async function makeAgent(
  definition: string | NonNullable<SubagentsOptions['agents']>[number],
  steps: Steps,
  more: Partial<AgentOptions> = {},
) {
  const files = memoryFiles();
  const isFile = typeof definition === 'string';
  if (isFile) await files.write('/.claude/agents/reviewer.md', definition);
  const model = scriptedModel(steps);
  const options = isFile ? { sources: ['/.claude/agents'] } : { agents: [definition] };
  const warnings: string[] = [];
  const agent = await createAgent({
    model,
    tools,
    plugins: [subagents(options)],
    files,
    log: listening(warnings),
    ...more,
  });
  return { agent, files, model, warnings };
}

const task = (args: object = {}) => ({
  toolCalls: [{ name: 'task', args: { agent: 'reviewer', prompt: 'Review it.', ...args } }],
});

/** Returns a logger that only keeps the messages of warnings. */
function listening(warnings: string[]): Logger {
  const log: Logger = {
    trace: () => {},
    debug: () => {},
    info: () => {},
    warn: (...given: unknown[]) => void warnings.push(String(given.at(-1))),
    error: () => {},
    fatal: () => {},
    child: () => log,
  };
  return log;
}

function resultsIn(messages: readonly Message[]): string {
  return messages.flatMap((message) => (message.role === 'tool' ? [textOf(message)] : [])).join('\n');
}

describe('a file', () => {
  it.each([
    './evil.mjs',
    '../evil.mjs',
    '/evil.mjs',
    'C:\\evil.mjs',
    'C:/evil.mjs',
    'evil.mjs',
    'file:///evil.mjs',
    './a/b',
    '~/evil.mjs',
  ])('cannot choose the module %s as its model', async (model) => {
    await expect(makeAgent(file(`model: ${model}\n`), [])).rejects.toMatchObject({
      code: 'subagents/DEFINITION_INVALID',
      message: expect.stringContaining(
        `its model is ${JSON.stringify(model)}; write provider/model`,
      ) as string,
    });
  });

  it('with a model that cannot be used is left out, and keeps nothing from starting', async () => {
    // The name is passed on; only a config file can resolve it.
    const { agent, model, warnings } = await makeAgent(file('model: openrouter/meta/llama-4:free\n'), [
      { text: 'Done.' },
    ]);
    await agent.run('Go');
    expect(model.requests[0]?.tools?.map(({ name }) => name)).not.toContain('task');
    expect(warnings.join('\n')).toContain('The agent "reviewer" of a file is left out: ');
    expect(agent.plugins.flatMap(({ notes = [] }) => notes).join('\n')).toContain(
      '"reviewer" of a file is left out',
    );
    await agent.close();
  });

  it('that names a tool which does not exist gets the others alone', async () => {
    const { agent, model, warnings } = await makeAgent(file('tools: [nope]\n'), [
      task(),
      { text: 'Fine.' },
      { text: 'Done.' },
    ]);
    await agent.run('Go');
    expect(model.requests[1]?.tools ?? []).toEqual([]);
    expect(warnings.join('\n')).toContain('The agent "reviewer" of a file goes without a tool: ');
    await agent.close();
  });

  it('that excludes a tool which does not exist is left out, as it could do more than it was meant to', async () => {
    const { agent, model, warnings } = await makeAgent(file('disallowedTools: [wrte_note]\n'), [
      { text: 'Done.' },
    ]);
    await agent.run('Go');
    expect(model.requests[0]?.tools?.map(({ name }) => name)).not.toContain('task');
    expect(warnings.join('\n')).toContain('The agent "reviewer" of a file is left out: ');
    await agent.close();
  });

  it.each(['sonnet', 'opus', 'haiku', 'inherit', 'claude-opus-4-6'])(
    'that was written for Claude Code gives the model of its parent for %s',
    async (name) => {
      const { agent, model, warnings } = await makeAgent(file(`model: ${name}\n`), [
        task(),
        { text: 'Fine.' },
        { text: 'Done.' },
      ]);
      expect((await agent.run('Go')).text).toBe('Done.');
      await agent.close();
      expect(model.requests).toHaveLength(3);
      expect(warnings.join('\n').includes('the agent gets the model of its parent')).toBe(name !== 'inherit');
    },
  );

  it('may call the tools as Claude Code does, and goes without those that are not here', async () => {
    const text = file(
      'tools: Read, Grep, WebSearch, WebFetch, Bash(git log:*, x), mcp__github\nmodel: sonnet\n',
    );
    const { agent, files, model, warnings } = await makeAgent(text, [
      task(),
      { text: 'Fine.' },
      { text: 'Done.' },
    ]);
    await agent.run('Go');
    await agent.close();
    expect(model.requests[1]?.tools?.map(({ name }) => name)).toEqual([
      'read_file',
      'grep',
      'github_get_issue',
      'github_list',
    ]);
    expect(warnings).toEqual([
      '/.claude/agents/reviewer.md: the model "sonnet" is not of a provider; the agent gets the model of its parent',
      '/.claude/agents/reviewer.md: the tool "WebSearch" in tools has no counterpart here, and is left out',
      '/.claude/agents/reviewer.md: the tool "Bash(git log:*, x)" in tools has no counterpart here, and is left out',
      'The agent "reviewer" goes without WebFetch: no tool is named fetch_url',
    ]);
    const report = await checkAgents(files, {
      options: { sources: ['/.claude/agents'] },
      locate: () => ({ file: 'config' }),
      tools: tools.map(({ name }) => name),
    });
    expect(report.problems.map(({ level }) => level)).toEqual(['warning', 'warning', 'warning', 'warning']);
  });

  it('leaves nothing of a list whose tools are all missing', async () => {
    const { agent, model } = await makeAgent(file('tools: WebSearch\n'), [
      task(),
      { text: 'Fine.' },
      { text: 'x' },
    ]);
    await agent.run('Go');
    await agent.close();
    expect(model.requests[1]?.tools ?? []).toEqual([]);
  });

  it('takes tools away with disallowedTools, and still has none that delegate', async () => {
    const { agent, model } = await makeAgent(
      file('disallowedTools: Write, mcp__github__list, Bash(rm:*)\n'),
      [task(), { text: 'Fine.' }, { text: 'Done.' }],
    );
    await agent.run('Go');
    await agent.close();
    expect(model.requests[1]?.tools?.map(({ name }) => name)).toEqual([
      'read_file',
      'grep',
      'github_get_issue',
    ]);
  });
});

describe('a definition', () => {
  const output = {
    type: 'object',
    properties: { grade: { type: 'integer' } },
    required: ['grade'],
    additionalProperties: false,
  };
  const definition = {
    name: 'reviewer',
    description: 'Reviews.',
    output,
    settings: { temperature: 0.5, seed: 1 },
  };

  it('gives the answers a schema, and the model calls settings', async () => {
    const { agent, model } = await makeAgent(
      definition,
      [task(), { text: 'Very good.' }, { text: '{"grade":1}' }, { text: 'Done.' }],
      { settings: { temperature: 0.1, topP: 0.9 } },
    );
    const { messages } = await agent.run('Go');
    await agent.close();
    expect(model.requests.map(({ settings }) => settings)).toEqual([
      { temperature: 0.1, topP: 0.9 },
      definition.settings,
      definition.settings,
      { temperature: 0.1, topP: 0.9 },
    ]);
    expect(model.requests.map((request) => request.output?.schema)).toEqual([
      undefined,
      output,
      output,
      undefined,
    ]);
    expect(resultsIn(messages)).toMatch(/^\{"grade":1\}\n/);
    expect(messages.find(({ role }) => role === 'tool')).toMatchObject({ data: { output: { grade: 1 } } });
  });

  it('does so in the background', async () => {
    const reading = scriptedModel([{ text: '{"grade":2}' }]);
    const { agent } = await makeAgent({ ...definition, model: reading }, [
      task({ background: true }),
      ({ messages }) => ({
        toolCalls: [
          { name: 'task_result', args: { session: /child_[\w-]+/.exec(resultsIn(messages))?.[0] ?? '' } },
        ],
      }),
      { text: 'Done.' },
    ]);
    const { messages } = await agent.run('Go');
    await agent.close();
    expect(reading.requests[0]).toMatchObject({ settings: definition.settings, output: { schema: output } });
    expect(messages.findLast(({ role }) => role === 'tool')).toMatchObject({
      data: { output: { grade: 2 } },
    });
  });

  it('with a schema that cannot be checked is refused at the start', async () => {
    const wrong = { ...definition, output: { type: 'objekt' } };
    await expect(makeAgent(wrong, [])).rejects.toMatchObject({
      code: 'subagents/DEFINITION_INVALID',
      message: expect.stringContaining('The output of the agent "reviewer"') as string,
    });
  });
});

it('Tools cannot change a definition to which a link leads', async () => {
  const root = mkdtempSync(join(tmpdir(), 'shallot-agents-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, 'agents'));
  writeFileSync(join(root, 'reviewer.md'), file(''));
  symlinkSync('../reviewer.md', join(root, 'agents/reviewer.md'));
  const files = diskFiles(root);
  const model = scriptedModel([]);
  const agent = await createAgent({ model, files, plugins: [subagents({ sources: ['/agents'] })] });
  await expect(files.write('/reviewer.md', 'mine')).rejects.toMatchObject({ code: 'FILE_PROTECTED' });
  await agent.close();
});
