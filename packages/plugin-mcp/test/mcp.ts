import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createAgent, textOf, type Agent, type AgentOptions, type ToolMessage } from '@shallot/core';
import { collectEvents, scriptedModel, type ScriptedStep } from '@shallot/testing';
import { expect, onTestFinished } from 'vitest';

import mcp, { type McpOptions, type ServerOptions } from '../src/index.ts';

/** Returns the options for a server in `programs`, or for a path. */
export function program(file: string, ...args: readonly string[]): ServerOptions {
  const path = file.includes('/') ? file : join(import.meta.dirname, 'programs', file);
  return { command: process.execPath, args: [path, ...args] };
}

/** Returns the options for a reference server from npm. */
export function reference(name: string, ...args: readonly string[]): ServerOptions {
  const folder = join(import.meta.dirname, '../node_modules/@modelcontextprotocol', `server-${name}`);
  return program(join(folder, 'dist/index.js'), ...args);
}

export function raw(mode: string, ...args: readonly string[]): ServerOptions {
  return program('raw-server.ts', mode, ...args);
}

/** Creates a directory that is deleted when the test ends. */
export function testDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'shallot-mcp-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

let marks = 0;

/** Returns the ids of all processes that have a mark in their environment. */
export function markedProcesses(mark: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => environmentOf(pid).includes(mark))
    .map(Number);
}

function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    // The process has ended, or belongs to another user.
    return '';
  }
}

/** Marks servers so that their processes can be found. When the test ends, none of them may be left. */
export function marked(servers: Readonly<Record<string, ServerOptions>>): {
  readonly mark: string;
  readonly servers: Readonly<Record<string, ServerOptions>>;
} {
  const mark = `SHALLOT_TEST_MARK=${process.pid}-${(marks += 1)}`;
  const [name = '', value = ''] = mark.split('=');
  onTestFinished(() => expect.poll(() => markedProcesses(mark)).toEqual([]));
  const withMark = Object.entries(servers).map(([server, options]) => [
    server,
    options.command === undefined ? options : { ...options, env: { ...options.env, [name]: value } },
  ]);
  return { mark, servers: Object.fromEntries(withMark) as Readonly<Record<string, ServerOptions>> };
}

export interface TestAgent {
  readonly agent: Agent;
  readonly model: ReturnType<typeof scriptedModel>;
  readonly mark: string;
  /** The lines of the log. */
  readonly logged: string[];
}

/**
 * Creates an agent with servers. It is closed when the test ends, and then none of the servers' processes may be left.
 */
export async function agentWith(
  { servers = {}, ...options }: McpOptions,
  steps: readonly ScriptedStep[] = [],
  more: Partial<AgentOptions> = {},
): Promise<TestAgent> {
  const found = marked(servers);
  const logged: string[] = [];
  const model = scriptedModel(steps);
  const agent = await createAgent({
    model,
    log: 'debug',
    logStream: { write: (line) => void logged.push(line) },
    ...more,
    plugins: [mcp({ servers: found.servers, ...options }), ...(more.plugins ?? [])],
  });
  onTestFinished(() => agent.close());
  return { agent, model, mark: found.mark, logged };
}

/** Calls tools in one step, and returns their results. */
export async function callTools(
  options: McpOptions,
  calls: readonly { readonly name: string; readonly args?: object }[],
  more: Partial<AgentOptions> = {},
) {
  const toolCalls = calls.map(({ name, args = {} }) => ({ name, args: { ...args } }));
  const test = await agentWith(options, [{ toolCalls }, { text: 'Done.' }], more);
  const stream = test.agent.stream('Go');
  const { events } = await collectEvents(stream);
  const { messages } = await stream.result;
  const results = messages.filter((message) => message.role === 'tool');
  return { ...test, events, results, texts: results.map(said) };
}

/** Returns the text of a result, after `ERROR` if it is an error. */
export function said(message: ToolMessage): string {
  return `${message.isError === true ? 'ERROR ' : ''}${textOf(message)}`;
}

/** Returns the error with which an agent with these servers fails to start. */
export async function startError(
  options: McpOptions,
): Promise<{ readonly code?: unknown; readonly message: string; readonly cause?: unknown }> {
  const { servers } = marked(options.servers ?? {});
  try {
    const agent = await createAgent({
      model: scriptedModel([]),
      log: 'silent',
      plugins: [mcp({ ...options, servers })],
    });
    onTestFinished(() => agent.close());
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('it starts');
}

/** Returns the entries that an asking server has written to its file, one for each call and question. */
export function noted(
  file: string,
): { readonly asks?: string; readonly state?: string; readonly inputResponses?: object }[] {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line) => (line.startsWith('{') ? (JSON.parse(line) as object) : { state: line }));
}
