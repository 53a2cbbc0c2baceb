import { createAgent, defineTool, textOf, type JsonObject, type RunResult } from '@shallot/core';
import {
  collectEvents,
  scriptedModel,
  testPlugin,
  type ScriptedStep,
  type ScriptedToolCall,
} from '@shallot/testing';
import { describe, expect, it } from 'vitest';

import repair, { type RepairOptions } from './index.ts';
import { parseMalformed } from './parse-malformed.ts';
import { renameArguments } from './rename-arguments.ts';

await testPlugin(repair, { manifest: new URL('../package.json', import.meta.url) });

const file = {
  type: 'object',
  properties: { path: { type: 'string' }, line: { type: 'integer' } },
  required: ['path'],
  additionalProperties: false,
} as const;

interface Given {
  readonly call: ScriptedToolCall;
  readonly finish?: 'length';
  readonly options?: RepairOptions;
  readonly tools?: readonly string[];
}

/** Returns the input a tool was executed with, the messages to the model, and the warnings. */
async function outcomeOf({ call, finish, options = {}, tools = ['read_file'] }: Given) {
  const executed: unknown[] = [];
  const first: ScriptedStep = { toolCalls: [call], ...(finish && { finish }) };
  const agent = await createAgent({
    model: scriptedModel([first, { text: 'Done.' }]),
    tools: tools.map((name) =>
      defineTool({
        name,
        description: name,
        input: file,
        effect: 'read',
        execute: (args) => void executed.push([name, args]),
      }),
    ),
    plugins: [repair(options)],
    log: 'silent',
  });
  const stream = agent.stream('Go');
  const { events } = await collectEvents(stream);
  const result = await stream.result;
  await agent.close();
  const warnings = events.flatMap((event) =>
    event.type === 'warning' && event.code.startsWith('repair/') ? [event.code] : [],
  );
  return { executed, told: toldOf(result), warnings };
}

function toldOf({ messages }: RunResult): string[] {
  return messages.flatMap((message) => (message.role === 'tool' && message.isError ? [textOf(message)] : []));
}

describe('arguments that are not JSON', () => {
  it('are repaired if the tool then takes them, with a warning', async () => {
    const raw = "{path: '/notes.md', line: 3,}";
    expect(await outcomeOf({ call: { name: 'read_file', raw } })).toEqual({
      executed: [['read_file', { path: '/notes.md', line: 3 }]],
      told: [],
      warnings: ['repair/ARGUMENTS_REPAIRED'],
    });
  });

  it.each([
    ['the tool does not take what they stand for', { raw: "{notes: '/notes.md'}" }],
    ['nobody can tell what they stand for', { raw: 'the notes' }],
    ['they hold a number that JSON cannot', { raw: '{"path": "/notes.md", "line": 1e999}' }],
    ['they were cut off', { raw: '{"path": "/notes' }],
    ['they were cut off behind a value', { raw: '{"path": "/notes", "line": {"a": 1}' }],
  ])('are left as they are when %s', async (_, { raw }) => {
    const { executed, told, warnings } = await outcomeOf({ call: { name: 'read_file', raw } });
    expect({ executed, warnings }).toEqual({ executed: [], warnings: [] });
    expect(told).toEqual([expect.stringContaining('not valid JSON')]);
  });

  it('are left as they are when the whole answer was cut off, or the option is off', async () => {
    const call = { name: 'read_file', raw: "{path: '/notes.md'}" };
    expect((await outcomeOf({ call, finish: 'length' })).executed).toEqual([]);
    expect((await outcomeOf({ call, options: { arguments: false } })).executed).toEqual([]);
  });

  it.each<[string, unknown]>([
    ["{'a': 1}", { a: 1 }],
    ['```json\n{"a": 1}\n```', { a: 1 }],
    ['{"a": True, "b": None}', { a: true, b: null }],
    ['{"a": 1}}', { a: 1 }],
    ['{"a": "x" /* why */}', { a: 'x' }],
    ['[1, 2', undefined],
    ['["a"', undefined],
    ["['a']", undefined],
    [`{a: "${'x'.repeat(200_000)}"}`, undefined],
  ])('stand for an object or nothing: %.20s', (text, value) => {
    expect(parseMalformed(text)).toEqual(value);
  });
});

describe('arguments with other names', () => {
  const edit = {
    type: 'object',
    properties: {
      path: { type: 'string' },
      old_string: { type: 'string' },
      new_string: { type: 'string' },
      replace_all: { type: 'boolean' },
      edits: {
        type: 'array',
        items: {
          type: 'object',
          properties: { old_string: { type: 'string' }, new_string: { type: 'string' } },
          additionalProperties: false,
        },
      },
    },
    required: ['path'],
    additionalProperties: false,
  } as const;

  it.each<[string, JsonObject, JsonObject]>([
    [
      'of case',
      { filePath: '/a', oldString: 'x', newString: 'y', replaceAll: true },
      { path: '/a', old_string: 'x', new_string: 'y', replace_all: true },
    ],
    ['of separators', { path: '/a', 'old-string': 'x' }, { path: '/a', old_string: 'x' }],
    ['of another agent', { file_path: '/a', allow_multiple: true }, { path: '/a', replace_all: true }],
    [
      'in a list',
      { path: '/a', edits: [{ oldText: 'x', newText: 'y' }] },
      { path: '/a', edits: [{ old_string: 'x', new_string: 'y' }] },
    ],
    ['that say why', { path: '/a', instruction: 'Makes it y.' }, { path: '/a' }],
  ])('%s get those of the tool', (_, given, expected) => {
    expect(renameArguments(given, edit)).toEqual(expected);
  });

  it.each<[string, JsonObject]>([
    ['are known', { path: '/a', old_string: 'x' }],
    ['are given as well', { path: '/a', file_path: '/b' }],
    ['are given twice', { file_path: '/a', filePath: '/b' }],
    ['mean nothing', { path: '/a', colour: 'red', description: { of: 'it' } }],
  ])('stay when they %s', (_, given) => {
    expect(renameArguments(given, edit)).toEqual(given);
  });

  it('may mean two of a tool, and stay then', () => {
    const schema = { type: 'object', properties: { include: {}, file_pattern: {} } } as const;
    expect(renameArguments({ glob: '*.ts' }, schema)).toEqual({ glob: '*.ts' });
  });

  it('are repaired in the call, with a warning, if the tool then takes them', async () => {
    const call = { name: 'read_file', args: { file_path: '/notes.md', line: 3 } };
    expect(await outcomeOf({ call })).toEqual({
      executed: [['read_file', { path: '/notes.md', line: 3 }]],
      told: [],
      warnings: ['repair/ARGUMENTS_REPAIRED'],
    });
    const raw = "{filePath: '/notes.md'}";
    expect((await outcomeOf({ call: { name: 'readFile', raw } })).executed).toEqual([
      ['read_file', { path: '/notes.md' }],
    ]);
    for (const args of [{ file_path: 7 }, { file_path: '/a', colour: 'red' }])
      expect(await outcomeOf({ call: { name: 'read_file', args } })).toMatchObject({
        executed: [],
        warnings: [],
      });
    expect((await outcomeOf({ call, options: { arguments: false } })).executed).toEqual([]);
  });

  it('stay where the tool takes them as they are', async () => {
    const executed: unknown[] = [];
    const open = defineTool({
      name: 'open',
      description: 'Opens.',
      input: { type: 'object', properties: { path: { type: 'string' } } },
      effect: 'read',
      execute: (args) => void executed.push(args),
    });
    const args = { file_path: '/a', description: 'Opens it.' };
    const model = scriptedModel([{ toolCalls: [{ name: 'open', args }] }, { text: 'Done.' }]);
    await using agent = await createAgent({ model, tools: [open], plugins: [repair()], log: 'silent' });
    await agent.run('Go');
    expect(executed).toEqual([args]);
  });
});

describe('the name of a tool', () => {
  it.each(['Read_File', 'readFile', 'read-file', 'read.file', 'READ FILE'])(
    'is corrected: %s',
    async (name) => {
      const { executed, warnings } = await outcomeOf({ call: { name, args: { path: '/a' } } });
      expect({ executed, warnings }).toEqual({
        executed: [['read_file', { path: '/a' }]],
        warnings: ['repair/NAME_REPAIRED'],
      });
    },
  );

  it.each([
    ['another word stands in it', { call: { name: 'read_the_file', args: { path: '/a' } } }],
    [
      'it may mean two tools',
      { call: { name: 'ReadFile', args: { path: '/a' } }, tools: ['read_file', 'readfile'] },
    ],
    ['the option is off', { call: { name: 'ReadFile', args: { path: '/a' } }, options: { names: false } }],
  ])('is left as it is when %s', async (_, given) => {
    const { executed, warnings } = await outcomeOf(given);
    expect({ executed, warnings }).toEqual({ executed: [], warnings: [] });
  });
});
