import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect } from 'vitest';

import { makeProject, type Project } from './project.ts';

/**
 * A project whose agent calls tools to remove `/old` and to write `/new`, with a gate that asks a person about both
 * calls.
 */
export interface ApprovalProject extends Project {
  readonly files: Readonly<Record<string, string>>;
  /** Returns the tool calls that were executed, in order. */
  effects(): string[];
  /** Returns the open questions, as `shallot pending --json` prints them. */
  open(): Promise<readonly OpenQuestion[]>;
}

interface OpenQuestion {
  readonly id: string;
  readonly sessionId: string;
  readonly kind: string;
  readonly call?: { readonly name: string; readonly input: unknown };
}

const model = `
  import { scriptedModel } from '@shallot/testing';
  const step = ({ messages }) => messages.at(-1).role === 'tool'
    ? { text: 'Told: ' + messages.filter(({ role }) => role === 'tool').map(({ content }) => content[0].text).join(' | ') }
    : { toolCalls: [{ name: 'remove', args: { path: '/old' } }, { name: 'write_file', args: { path: '/new', content: 'a\\nb\\u202e\\n' } }] };
  export default scriptedModel(Array(9).fill(step));`;

const tools = `
  import { appendFileSync } from 'node:fs';
  import { defineTool } from '@shallot/core';
  const tool = (name) => defineTool({
    name, description: name,
    input: {
      type: 'object', properties: { path: { type: 'string', minLength: 2 }, content: { type: 'string' } },
      required: ['path'], additionalProperties: false,
    },
    execute({ path }, { call }) {
      appendFileSync(new URL('effects.txt', import.meta.url), call.name + ' ' + path + '\\n');
      return call.name + ' ' + path;
    },
  });
  export const remove = tool('remove');
  export const write = tool('write_file');`;

const gate = `
  import { definePlugin } from '@shallot/core';
  import { textPart } from '@shallot/core/plugin';
  const decisions = ['approve', 'edit', 'reject', 'respond'];
  const text = { type: 'string' };
  const answer = {
    type: 'object', required: ['decision'], additionalProperties: false,
    properties: { decision: { enum: decisions }, args: { type: 'object' }, reason: text, content: text },
  };
  export default definePlugin({
    name: 'gate',
    setup({ hooks }) {
      hooks.wrapToolCall.tapPromise({ name: 'ask', gate: true }, async (call, next, { interrupt, edit }) => {
        if (edit) return next(call);
        const given = await interrupt({ kind: 'approval', payload: { decisions }, answer });
        if (given.decision === 'approve') return next(call);
        if (given.decision === 'edit') return next({ ...call, input: given.args });
        if (given.decision === 'respond') return { content: [textPart(given.content)] };
        const content = [textPart('rejected: ' + (given.reason ?? 'no reason'))];
        return { content, isError: true, denied: { by: 'gate', reason: given.reason } };
      });
    },
  });`;

/** Makes the project. The config lists `plugin`, by default the gate. */
export function makeApprovalProject({ plugin = './gate.ts' }: { plugin?: string } = {}): ApprovalProject {
  const files = {
    'shallot.config.yaml': `name: test\nmodel: ./model.ts\ntools: [./tools.ts]\ntoolConcurrency: 1\nplugins: [${plugin}]\nlog: silent\n`,
    'model.ts': model,
    'tools.ts': tools,
    'gate.ts': gate,
  };
  const project = makeProject(files);
  const effects = join(project.folder, 'effects.txt');
  return {
    ...project,
    files,
    effects: () => (existsSync(effects) ? readFileSync(effects, 'utf8').trimEnd().split('\n') : []),
    open: async () => JSON.parse((await project.here(['pending', '--json'])).stdout) as OpenQuestion[],
  };
}

/**
 * Runs the agent in the session `tea` until it waits for two answers, and returns the project with the ids of both
 * questions.
 */
export async function waiting(
  plugin?: string,
): Promise<{ project: ApprovalProject; remove: string; write: string }> {
  const project = makeApprovalProject(plugin === undefined ? {} : { plugin });
  expect((await project.here(['run', '-q', '-s', 'tea', 'Go'])).status).toBe(3);
  const open = await project.open();
  const idOf = (tool: string): string => open.find(({ call }) => call?.name === tool)?.id ?? '';
  return { project, remove: idOf('remove'), write: idOf('write_file') };
}
