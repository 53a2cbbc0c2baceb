import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import {
  createAgent,
  defineTool,
  textOf,
  type AgentOptions,
  type JsonObject,
  type JsonValue,
} from '@shallot/core';
import { diskFiles } from '@shallot/core/files';
import filesystem from '@shallot/plugin-filesystem';
import { scriptedModel, type ScriptedStep } from '@shallot/testing';

import hooks, { type HooksOptions } from '../src/index.ts';

/** Returns the command line of one of the scripts. */
export function script(name: string): string {
  const path = join(import.meta.dirname, 'scripts', name);
  return name.endsWith('.mjs') ? `'${process.execPath}' '${path}'` : `'${path}'`;
}

/** A call of a tool, with the names that tools and arguments have here. */
export interface TriedCall {
  readonly name: string;
  readonly args: JsonObject;
}

/** Returns a call of the tool that stands for a shell. */
export function bash(command: string): TriedCall {
  return { name: 'shell', args: { command } };
}

interface HookedOptions extends Partial<Omit<AgentOptions, 'plugins' | 'model'>> {
  readonly plugins?: AgentOptions['plugins'];
  readonly steps?: readonly ScriptedStep[];
  readonly hooks?: Omit<HooksOptions, 'events'>;
}

/** Creates an agent with hooks in its own directory, with tools for files and one that stands for a shell. */
export async function hookedAgent(
  events: NonNullable<HooksOptions['events']>,
  { plugins = [], steps = [], hooks: more = {}, ...options }: HookedOptions = {},
) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'shallot-hooks-')));
  const executed: JsonValue[] = [];
  const shell = defineTool({
    name: 'shell',
    description: 'Runs a command.',
    input: {
      type: 'object',
      properties: { command: { type: 'string' }, timeout_ms: { type: 'integer' } },
      required: ['command'],
      additionalProperties: false,
    },
    execute(input) {
      executed.push(input);
      const { command } = input;
      if (typeof command === 'string' && command.startsWith('fail')) throw new Error('command not found');
      return 'ran';
    },
  });
  const model = scriptedModel(steps);
  const agent = await createAgent({
    model,
    log: 'silent',
    files: diskFiles(root),
    tools: [shell],
    ...options,
    plugins: [{ use: hooks({ ...more, events }), directory: root }, { use: filesystem() }, ...plugins],
  });
  return {
    agent,
    model,
    root,
    executed,
    async [Symbol.asyncDispose]() {
      await agent.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** Returns the steps of a model that makes these calls, one per step, and then answers. */
export function stepsOf(calls: readonly TriedCall[], answer = 'Done.'): ScriptedStep[] {
  return [...calls.map((call) => ({ toolCalls: [call] })), { text: answer }];
}

/** Returns the texts of the messages of a role. */
export function textsOf(
  { messages }: { readonly messages: readonly Parameters<typeof textOf>[0][] },
  role: string,
): string[] {
  return messages
    .filter((message) => 'role' in message && message.role === role)
    .map((message) => textOf(message));
}

/** Returns the events that the script log-everything.sh has written in a directory. */
export function loggedIn(root: string): readonly JsonObject[] {
  const lines = readFileSync(join(root, 'events.jsonl'), 'utf8').trim().split('\n');
  // Each line that the script writes is a JSON object.
  return lines.map((line) => JSON.parse(line) as JsonObject);
}
