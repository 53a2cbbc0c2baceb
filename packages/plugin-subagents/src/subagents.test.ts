import {
  createAgent,
  definePlugin,
  defineTool,
  isShallotError,
  memoryStore,
  textOf,
  type AgentOptions,
} from '@shallot/core';
import { memoryFiles } from '@shallot/core/files';
import { skillTextsKey } from '@shallot/core/plugin';
import { collectEvents, scriptedModel, testPlugin } from '@shallot/testing';
import { describe, expect, it } from 'vitest';

import subagents, { type SubagentsOptions } from './index.ts';

await testPlugin(subagents, {
  options: { agents: [{ name: 'reader', description: 'Reads.' }] },
  secondOptions: { toolName: 'task_2' },
  manifest: new URL('../package.json', import.meta.url),
});

const read = defineTool({
  name: 'read_note',
  description: 'Reads a note.',
  input: { type: 'object' },
  effect: 'read',
  execute: () => 'The key is under the mat.',
});
const write = defineTool({
  name: 'write_note',
  description: 'Writes a note.',
  input: { type: 'object' },
  execute: () => 'Written.',
});

const task = (args: object) => ({
  name: 'task',
  args: { description: 'A task', prompt: 'Find the key.', ...args },
});

/** Creates an agent with files, and returns it with the models of the root and of its children. */
async function makeAgent(
  options: SubagentsOptions,
  steps: Parameters<typeof scriptedModel>[0],
  more: Partial<AgentOptions> = {},
  documents: Readonly<Record<string, string>> = {},
) {
  const files = memoryFiles();
  for (const [path, text] of Object.entries(documents)) await files.write(path, text);
  const model = scriptedModel(steps);
  const agent = await createAgent({
    model,
    tools: [read, write],
    plugins: [subagents(options)],
    files,
    log: 'silent',
    ...more,
  });
  return { agent, model };
}

describe('task', () => {
  it('lets another agent do a task, with its own instructions, model and tools', async () => {
    const reader = scriptedModel([
      { toolCalls: [{ name: 'read_note' }, { name: 'write_note' }] },
      { text: 'It is under the mat.' },
    ]);
    const definition = {
      name: 'reader',
      description: 'Reads notes.',
      instructions: 'Read.',
      tools: ['read_*'],
    };
    const { agent, model } = await makeAgent({ agents: [{ ...definition, model: reader }] }, [
      { toolCalls: [task({ agent: 'reader' })] },
      { text: 'Look under the mat.' },
    ]);
    const { messages, text } = await agent.run('Where is the key?');
    expect(text).toBe('Look under the mat.');
    const [first] = reader.requests;
    expect(first?.instructions).toBe('Read.');
    expect(first?.tools?.map(({ name }) => name)).toEqual(['read_note']);
    expect(first?.messages.map((message) => textOf(message))).toEqual(['Find the key.']);
    expect(reader.requests[1]?.messages.at(-1)).toMatchObject({ name: 'write_note', isError: true });
    expect(messages[2]).toMatchObject({ data: { agent: 'reader', stopReason: 'answer', steps: 2 } });
    expect(messages[2] && textOf(messages[2])).toMatch(
      /^It is under the mat\.\n\n\[task session: child_[\w-]+\]$/,
    );
    expect(model.requests[0]?.tools?.find(({ name }) => name === 'task')).toMatchObject({
      description: expect.stringContaining('- reader: Reads notes.') as string,
      inputSchema: { properties: { agent: { enum: ['reader'] } } },
    });
    await agent.close();
  });

  it('has an agent of its own where there is no definition: all tools but the task', async () => {
    const { agent, model } = await makeAgent({}, [
      { toolCalls: [task({ agent: 'general' })] },
      { text: 'Under the mat.' },
      { text: 'Done.' },
    ]);
    await agent.run('Where is the key?');
    expect(model.requests[1]?.tools?.map(({ name }) => name)).toEqual(['read_note', 'write_note']);
    await agent.close();
  });

  it('asks the same agent more about a finished task, and no other session', async () => {
    const reader = scriptedModel([{ text: 'Under the mat.' }, { text: 'The red one.' }]);
    const sessionIn = (text: string): string => /child_[\w-]+/.exec(text)?.[0] ?? '';
    const { agent } = await makeAgent(
      { agents: [{ name: 'reader', description: 'Reads.', model: reader }] },
      [
        { toolCalls: [task({ agent: 'reader' })] },
        ({ messages }) => ({
          toolCalls: [
            task({
              agent: 'reader',
              prompt: 'Which mat?',
              session: sessionIn(messages.map((message) => textOf(message)).join('\n')),
            }),
            task({ agent: 'reader', prompt: 'Which mat?', session: 'other' }),
          ],
        }),
        { text: 'Under the red mat.' },
      ],
    );
    const { messages } = await agent.run('Where is the key?', { sessionId: 'main' });
    const results = messages.flatMap((message) => (message.role === 'tool' ? [textOf(message)] : []));
    expect(results[1]).toContain('The red one.');
    expect(results[2]).toContain('CHILD_REFUSED');
    expect(reader.requests[1]?.messages).toHaveLength(3);
    await agent.close();
  });

  it('does several tasks side by side, and shows their events', async () => {
    const reader = {
      name: 'reader',
      description: 'Reads.',
      model: scriptedModel([{ text: 'a' }, { text: 'b' }]),
    };
    const { agent } = await makeAgent({ agents: [reader] }, [
      { toolCalls: [task({ agent: 'reader' }), task({ agent: 'reader' })] },
      { text: 'Both are done.' },
    ]);
    const { events } = await collectEvents(agent.stream('Go'));
    const children = events.flatMap((event) => (event.type === 'child' ? [event] : []));
    expect(new Set(children.map(({ sessionId }) => sessionId)).size).toBe(2);
    expect(children.filter(({ event }) => event.type === 'run-end')).toHaveLength(2);
    await agent.close();
  });

  it('tells the model what is wrong with a call', async () => {
    const { agent } = await makeAgent({}, [
      { toolCalls: [task({ agent: 'writer' }), task({ agent: 'general', prompt: '' })] },
      { text: 'Sorry.' },
    ]);
    const { messages } = await agent.run('Go');
    const results = messages.filter(({ role }) => role === 'tool');
    expect(results).toMatchObject([{ isError: true }, { isError: true }]);
    await agent.close();
  });

  it('passes a question of an agent on, and continues after the answer', async () => {
    const ask = defineTool({
      name: 'ask',
      description: 'Asks.',
      input: { type: 'object' },
      execute: (_, { interrupt }) =>
        interrupt({ kind: 'question', payload: 'Really?', answer: { enum: ['yes'] } }),
    });
    const worker = scriptedModel([{ toolCalls: [{ name: 'ask' }] }, { text: 'It was confirmed.' }]);
    const { agent } = await makeAgent(
      { agents: [{ name: 'worker', description: 'Works.', model: worker }] },
      [{ toolCalls: [task({ agent: 'worker' })] }, { text: 'Done.' }],
      { tools: [ask], store: memoryStore() },
    );
    const { interrupts } = await agent.run('Go', { sessionId: 's' });
    expect(interrupts).toMatchObject([
      { kind: 'question', plugin: 'tool', call: { name: 'ask' }, under: ['call_1'] },
    ]);
    const { text, messages } = await agent.resume('s', { [interrupts[0]?.id ?? '']: 'yes' });
    expect(text).toBe('Done.');
    expect(messages.map((message) => textOf(message)).join('\n')).toContain('It was confirmed.');
    await agent.close();
  });
});

describe('definitions', () => {
  const file = (front: string, body = 'Read notes.'): string => `---\n${front}\n---\n\n${body}\n`;

  it('are read from files, leniently', async () => {
    const { agent, model } = await makeAgent(
      { agents: [{ name: 'writer', description: 'Writes.' }] },
      [{ toolCalls: [task({ agent: 'reader' })] }, { text: 'Under the mat.' }, { text: 'Done.' }],
      {},
      {
        '/agents/reader.md': file(
          'name: reader\ndescription: Reads notes.\ntools: read_note, read_*\nmodel: inherit\ncolor: red\ngrants: [write_note]',
        ),
        '/agents/notes.txt': 'no definition',
      },
    );
    await agent.run('Go');
    expect(model.requests[1]).toMatchObject({ instructions: 'Read notes.', tools: [{ name: 'read_note' }] });
    expect(agent.plugins[0]?.status).toEqual([
      'agent writer: the tools that its parent is offered',
      'agent reader: tools read_note, read_*',
    ]);
    await agent.close();
  });

  it.each([
    ['no front matter', 'Read notes.', 'does not start with front matter'],
    ['one that is not closed', '---\nname: a\n', 'is not closed'],
    ['broken YAML', file('name: [a'), 'is not valid YAML'],
    ['no name', file('description: x'), 'its name is missing'],
    ['several faults', file('maxSteps: 0'), '"-"; its description is missing'],
    ['a wrong name', file('name: a b\ndescription: x'), 'its name is "a b"'],
    ['no description', file('name: a'), 'its description is missing'],
    ['wrong steps', file('name: a\ndescription: x\nmaxSteps: many'), 'its maxSteps is "many"'],
    ['wrong tools', file('name: a\ndescription: x\ntools: { a: b }'), 'its tools are {"a":"b"}'],
    ['a model that is none', file('name: a\ndescription: x\nmodel: [x]'), 'its model is ["x"]'],
  ])('with %s are refused at the start, by the name of the file', async (_, text, what) => {
    const starting = makeAgent({}, [], {}, { '/agents/x.md': text });
    const error: unknown = await starting.catch((thrown: unknown) => thrown);
    const { code, message } = isShallotError(error) ? error : { code: '', message: '' };
    expect(code).toBe('subagents/DEFINITION_INVALID');
    expect(message).toContain('The definition /agents/x.md cannot be read: ');
    expect(message).toContain(what);
  });

  it('of one name, and those with tools that do not exist, are refused at the start', async () => {
    const twice = { agents: [{ name: 'a', description: 'x' }] };
    await expect(
      makeAgent(twice, [], {}, { '/agents/a.md': file('name: a\ndescription: x') }),
    ).rejects.toMatchObject({ code: 'subagents/AGENT_DUPLICATE' });
    const wrong = { agents: [{ name: 'a', description: 'x', tools: ['raed_note'] }] };
    await expect(makeAgent(wrong, [])).rejects.toMatchObject({ code: 'subagents/UNKNOWN_TOOL' });
    const granted = { agents: [{ name: 'a', description: 'x', grants: ['pay'] }] };
    await expect(makeAgent(granted, [])).rejects.toMatchObject({ code: 'subagents/UNKNOWN_TOOL' });
  });
});

it('begins with the texts of skills, whatever the id of the plugin that has them', async () => {
  const skills = definePlugin({
    name: 'skills',
    setup: ({ id, provide }) =>
      provide(skillTextsKey(id), {
        read: async (_, name) => (name === 'keys' ? 'Keys are small.' : undefined),
      }),
  });
  const { agent, model } = await makeAgent(
    {},
    [{ toolCalls: [task({ agent: 'reader' })] }, { text: 'Under the mat.' }, { text: 'Done.' }],
    {
      plugins: [
        { use: skills(), id: 'house-skills' },
        subagents({ agents: [{ name: 'reader', description: 'Reads.', skills: ['keys'] }] }),
      ],
    },
  );
  await agent.run('Where is the key?');
  await agent.close();
  expect(JSON.stringify(model.requests[1]?.messages)).toContain('Keys are small.');
});

it('notes what is granted beyond the tools of the parent', async () => {
  const reader = { name: 'reader', description: 'Reads.', grants: ['write_note'] };
  const { agent } = await makeAgent({ agents: [reader] }, []);
  expect(agent.plugins.flatMap(({ notes = [] }) => notes)).toEqual([
    'The agent "reader" may call write_note, also where its parent is not offered it.',
  ]);
  await agent.close();
});
