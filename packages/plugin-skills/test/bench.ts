import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as immediate } from 'node:timers/promises';

import { createAgent, memoryStore, type Agent, type AgentOptions, type ToolMessage } from '@shallot/core';
import type { Files } from '@shallot/core/files';
import { memoryFiles } from '@shallot/core/files';
import { scriptedModel, type ScriptedStep, type ScriptedToolCall } from '@shallot/testing';
import { onTestFinished, vi } from 'vitest';

import skills, { type SkillsOptions } from '../src/index.ts';

/**
 * The cache folder of these tests, so that they write nothing to the user's. It is deleted when the process exits,
 * because test files share the process.
 */
export const caches = mkdtempSync(join(tmpdir(), 'shallot-caches-'));
process.once('exit', () => rmSync(caches, { recursive: true, force: true }));

/** Returns the text of a SKILL.md. */
export function skillFile(
  name: string,
  { description = `Does ${name}.`, body = `# How to ${name}`, more = '' } = {},
): string {
  return `---\nname: ${name}\ndescription: ${description}\n${more}---\n${body}\n`;
}

/** Creates files in memory with these contents. */
export async function filesWith(contents: Readonly<Record<string, string | Uint8Array>>): Promise<Files> {
  const files = memoryFiles();
  for (const [path, content] of Object.entries(contents)) await files.write(path, content);
  return files;
}

/** Returns a step in which the model reads skills. */
export function reads(...calls: readonly (string | Readonly<Record<string, unknown>>)[]): ScriptedStep {
  return {
    toolCalls: calls.map(
      (args) =>
        ({ name: 'skill', args: typeof args === 'string' ? { name: args } : args }) as ScriptedToolCall,
    ),
  };
}

/** Creates an agent with the plugin, whose model follows a script and then answers "Done." */
export async function bench(
  files: Files,
  steps: readonly ScriptedStep[] = [],
  { options = {}, ...rest }: Partial<AgentOptions> & { readonly options?: SkillsOptions } = {},
) {
  for (const name of ['XDG_CACHE_HOME', 'LOCALAPPDATA']) vi.stubEnv(name, caches);
  const model = scriptedModel([...steps, ...Array.from({ length: 20 }, () => ({ text: 'Done.' }))]);
  const { plugins = [], store = memoryStore(), ...others } = rest;
  const agent: Agent = await createAgent({
    model,
    files,
    store,
    log: 'silent',
    ...others,
    plugins: [skills(options), ...plugins],
  });
  onTestFinished(() => agent.close());
  return { agent, model, store };
}

/** Returns the texts of the results of a request's tool calls. */
export function resultsIn(messages: readonly { readonly role: string }[] = []): string[] {
  return messages
    .filter((message): message is ToolMessage => message.role === 'tool')
    .map(({ content }) => content.map((part) => (part.type === 'text' ? part.text : '')).join(''));
}

/** Returns the files with a count of the calls of their methods. */
export function counting(files: Files): { readonly counts: { calls: number }; readonly files: Files } {
  const counts = { calls: 0 };
  const count = <T>(work: () => T): T => ((counts.calls += 1), work());
  const counted: Files = {
    ...files,
    list: (...asked) => count(() => files.list(...asked)),
    stat: (...asked) => count(() => files.stat(...asked)),
    read: (...asked) => count(() => files.read(...asked)),
    readText: (...asked) => count(() => files.readText(...asked)),
  };
  return { counts, files: counted };
}

/** Waits until the count of calls no longer grows. */
export async function settle(counts: { readonly calls: number }): Promise<void> {
  let last = -1;
  while (last !== counts.calls) {
    last = counts.calls;
    for (let turn = 0; turn < 50; turn += 1) await immediate();
  }
}
