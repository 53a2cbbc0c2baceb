import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { ContentBlock, SessionUpdate } from '@agentclientprotocol/sdk';
import { createAgent, memoryStore, type Agent, type AgentOptions, type PluginEntry } from '@shallot/core';
import { diskFiles } from '@shallot/core/files';
import type { Store } from '@shallot/core/store';
import { scriptedModel, type ScriptedStep } from '@shallot/testing';
import { onTestFinished } from 'vitest';

import { editorFiles, editorPlugin, type EditorContext, type ServedAgent } from '../src/index.ts';

export function newDirectory(): string {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'shallot-acp-')));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

export interface World {
  readonly cwd: string;
  readonly store: Store;
  readonly newAgent: (
    steps: readonly ScriptedStep[],
    changes?: Partial<AgentOptions<EditorContext>>,
  ) => Promise<Agent<EditorContext>>;
  readonly serve: (steps: readonly ScriptedStep[]) => Promise<() => ServedAgent>;
}

/** Creates a directory, and agents that share a store in it, like processes that run one after another. */
export function newWorld(plugins: readonly PluginEntry[] = []): World {
  const cwd = newDirectory();
  const store = memoryStore();
  const newAgent: World['newAgent'] = async (steps, changes) => {
    const agent = await createAgent<EditorContext>({
      model: scriptedModel(steps, { contextTokens: 1000 }),
      store,
      plugins: [editorPlugin(), ...plugins],
      files: ({ context }) => editorFiles(context, openDirectory) ?? diskFiles(cwd),
      log: 'silent',
      ...changes,
    });
    onTestFinished(() => agent.close());
    return agent;
  };
  return {
    cwd,
    store,
    newAgent,
    serve: async (steps) => {
      const agent = await newAgent(steps);
      return () => ({ agent, store, directory: cwd });
    },
  };
}

const openDirectory: Parameters<typeof editorFiles>[1] = (root, through = (disk) => disk) =>
  through(diskFiles(root));

export function ofType<T extends SessionUpdate['sessionUpdate']>(updates: readonly SessionUpdate[], type: T) {
  return updates.filter(
    (update): update is Extract<SessionUpdate, { sessionUpdate: T }> => update.sessionUpdate === type,
  );
}

export function text(value: string): ContentBlock[] {
  return [{ type: 'text', text: value }];
}
