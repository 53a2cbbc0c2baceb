import { once } from 'node:events';

import { textOf, type AssistantPart, type JsonValue, type ToolMessage } from '@shallot/core';
import type { ChatModel, ModelRequest, ModelResponse } from '@shallot/core/model';

/**
 * A stand-in for a language model that plays all three roles. Each step follows from the request alone, so another
 * process can continue a run where it stopped.
 */
const offlineModel: ChatModel = {
  id: 'offline/team',
  async generate(request, { signal }): Promise<ModelResponse> {
    const role = roleOf(request);
    if (hangs(role, request)) await once(signal, 'abort');
    const content = parts[role](request);
    const finish = content.some(({ type }) => type === 'tool-call') ? 'tool-calls' : 'stop';
    return { message: { role: 'assistant', content }, finish };
  },
};

export default offlineModel;

type Role = 'planner' | 'reader' | 'writer';

function roleOf({ instructions }: ModelRequest): Role {
  if (instructions.includes('You read one source')) return 'reader';
  return instructions.includes('You write a report') ? 'writer' : 'planner';
}

/**
 * Returns true for the role that must never answer once it has a result, so that tests can kill the process at that
 * point.
 */
function hangs(role: Role, { messages }: ModelRequest): boolean {
  return process.env['OFFLINE_HANGS'] === role && messages.some((message) => message.role === 'tool');
}

const parts: Readonly<Record<Role, (request: ModelRequest) => AssistantPart[]>> = {
  planner: plan,
  reader: read,
  writer: write,
};

function plan({ messages }: ModelRequest): AssistantPart[] {
  const results = messages.filter((message) => message.role === 'tool');
  const findings = results.filter(({ name, data }) => name === 'task' && agentOf(data) === 'reader');
  const report = results.find(({ name, data }) => name === 'task' && agentOf(data) === 'writer');
  const sources = results.filter(({ name }) => name === 'ls').flatMap(pathsIn);
  if (sources.length === 0) return [text('First, what there is to read.'), call('ls', { path: '/sources' })];
  if (report !== undefined) {
    const isNoted = results.at(-1)?.name === 'write_todos';
    return isNoted ? [text(answerOf(report))] : [todos('done', 'done')];
  }
  if (findings.length === 0) {
    return [
      todos('in_progress', 'pending'),
      ...sources.map((path) =>
        call('task', { agent: 'reader', description: `Read ${path}`, prompt: `Read ${path}.` }),
      ),
    ];
  }
  const prompt = ['Write /report.md from these findings:', ...findings.map(answerOf)].join('\n');
  return [
    todos('done', 'in_progress'),
    call('task', { agent: 'writer', description: 'Write the report', prompt }),
  ];
}

function read({ messages }: ModelRequest): AssistantPart[] {
  const [prompt, ...others] = messages.map(textOf);
  const path = /\/\S+\.md/.exec(prompt ?? '')?.[0] ?? '?';
  const said = others.at(-1);
  if (said === undefined) return [call('read_file', { path })];
  const one = (pattern: RegExp): string => pattern.exec(said)?.[1] ?? 'unknown';
  const place = one(/# The (.*)/);
  const found = `${one(/(\d+) euros/)} euros a year; water: ${one(/water: (.*)/)}; sun: ${one(/(\d+) hours/)} hours`;
  return [text(`- ${place}: ${found} (${path})`)];
}

/** Writes the findings down, those with the most sun first. */
function write({ messages }: ModelRequest): AssistantPart[] {
  const [prompt = '', ...others] = messages.map(textOf);
  if (others.length > 0) return [text(others.at(-1) ?? '')];
  const findings = (prompt.match(/^- .*$/gm) ?? []).toSorted((a, b) => hoursOf(b) - hoursOf(a));
  const content = `# Places for the garden\n\nMost sun first.\n\n${findings.join('\n')}\n`;
  return [call('write_file', { path: '/report.md', content })];
}

function hoursOf(finding: string): number {
  return Number(/(\d+) hours/.exec(finding)?.[1] ?? 0);
}

function pathsIn(listing: ToolMessage): string[] {
  return textOf(listing).match(/\/\S+\.md/g) ?? [];
}

/** Returns the name of the agent that did a task. */
function agentOf(data: JsonValue | undefined): unknown {
  return typeof data === 'object' && data !== null ? Reflect.get(data, 'agent') : undefined;
}

/** Returns the answer of a task, without the line that names its session. */
function answerOf(task: ToolMessage): string {
  return textOf(task).split('\n\n[task session: ', 1)[0] ?? '';
}

type Status = 'pending' | 'in_progress' | 'done';

function todos(reading: Status, writing: Status): AssistantPart {
  return call('write_todos', {
    todos: [
      { content: 'Let readers find out what the sources say', status: reading },
      { content: 'Let a writer write the report', status: writing },
    ],
  });
}

function text(text: string): AssistantPart {
  return { type: 'text', text };
}

function call(name: string, input: JsonValue): AssistantPart {
  // The core replaces an id that the session already has.
  return { type: 'tool-call', id: name, name, input };
}
