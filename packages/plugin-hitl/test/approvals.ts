import {
  createAgent,
  definePlugin,
  defineTool,
  memoryStore,
  type AgentOptions,
  type Interrupt,
  type Message,
  type Plugin,
  type ToolCall,
  type ToolResult,
} from '@shallot/core';
import { memoryFiles } from '@shallot/core/files';
import type { PluginSetup, ToolNext, ToolScope, ApprovalRequest } from '@shallot/core/plugin';
import { scriptedModel, type ScriptedStep, type ScriptedToolCall } from '@shallot/testing';

import hitl, { type HitlOptions } from '../src/index.ts';

/** Creates an agent that makes these calls, with tools that write, delete and read, and that record what they did. */
export function bench(
  calls: readonly ScriptedToolCall[],
  options: HitlOptions,
  rest: Partial<AgentOptions> = {},
) {
  const done: string[] = [];
  const text = (args: unknown): string => JSON.stringify(args);
  const path = { path: { type: 'string' } };
  const files = memoryFiles();
  const tools = [
    defineTool({
      name: 'write_file',
      description: 'Writes a file.',
      input: {
        type: 'object',
        properties: { ...path, content: { type: 'string' } },
        required: ['path', 'content'],
      },
      async execute(args, context) {
        const { path, content } = args as { readonly path: string; readonly content: string };
        done.push(`write ${text(args)}`);
        await context.files.write(path, content);
        return 'written';
      },
    }),
    defineTool({
      name: 'delete_file',
      description: 'Deletes a file.',
      input: { type: 'object', properties: path, required: ['path'], additionalProperties: false },
      execute: (args) => {
        done.push(`delete ${text(args)}`);
        return 'deleted';
      },
    }),
    defineTool({
      name: 'read_file',
      description: 'Reads a file.',
      input: { type: 'object', properties: path, required: ['path'] },
      effect: 'read',
      execute: (args) => {
        done.push(`read ${text(args)}`);
        return 'content';
      },
    }),
  ];
  const steps: ScriptedStep[] = [
    { toolCalls: calls },
    ...Array.from({ length: 9 }, () => ({ text: 'Done.' })),
  ];
  const model = scriptedModel(steps);
  const { plugins = [], ...others } = rest;
  const store = memoryStore();
  const settings = {
    model,
    tools,
    files,
    store,
    log: 'silent' as const,
    ...others,
    plugins: [hitl(options), ...plugins],
  };
  return { done, model, files, store, agent: () => createAgent(settings) };
}

export function del(path: string): ScriptedToolCall {
  return { name: 'delete_file', args: { path } };
}

export const guarded: HitlOptions = { tools: { delete_file: true } };
export const approve = { decision: 'approve' } as const;

export function toolMessages(messages: readonly Message[]): string[] {
  return messages.flatMap((message) => {
    if (message.role !== 'tool') return [];
    const said = message.content.map((part) => (part.type === 'text' ? part.text : '')).join(' | ');
    return [`${message.name}${message.denied === undefined ? '' : ' DENIED'}: ${said}`];
  });
}

export function idOf(interrupt: Interrupt | undefined): string {
  if (interrupt === undefined) throw new Error('nothing was asked');
  return interrupt.id;
}

export function requestOf(interrupt: Interrupt | undefined): ApprovalRequest {
  return interrupt?.payload as unknown as ApprovalRequest;
}

/** Starts a run, and returns it at its first question. */
export async function started(
  calls: readonly ScriptedToolCall[],
  options: HitlOptions,
  rest: Partial<AgentOptions> = {},
) {
  const subject = bench(calls, options, rest);
  const agent = await subject.agent();
  const first = await agent.run('Go', { sessionId: 's' });
  return { ...subject, live: agent, first, ids: first.interrupts.map(({ id }) => id) };
}

export type Wrap = (call: ToolCall, next: ToolNext, scope: ToolScope) => Promise<ToolResult>;

export function layer(
  name: string,
  wrap: Wrap,
  options: { readonly gate?: boolean; readonly priority?: number } = {},
): Plugin {
  const { gate = false, priority = 50 } = options;
  const setup = ({ hooks }: PluginSetup): void => hooks.wrapToolCall.tapPromise({ name: 'wrap', gate }, wrap);
  return definePlugin({ name, priority, setup })();
}

/** Returns the result of `first`, or that of `second` if `first` fails. */
export async function either<T>(first: () => Promise<T>, second: () => T | Promise<T>): Promise<T> {
  try {
    return await first();
  } catch {
    return second();
  }
}
