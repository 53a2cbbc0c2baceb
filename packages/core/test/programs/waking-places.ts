import { scriptedModel, type ScriptedStep } from '../../../testing/src/scripted-model.ts';
import { message } from '../../../testing/src/store/store-samples.ts';
import type { Agent } from '../../src/agent.ts';
import type { AgentOptions } from '../../src/contract/agent-options.ts';
import { definePlugin } from '../../src/contract/define-plugin.ts';
import { isInterrupt } from '../../src/contract/interrupt-signal.ts';
import type { InterruptRequest } from '../../src/contract/interrupt.ts';
import type { Plugin, PluginSetup } from '../../src/contract/plugin.ts';
import type { Store } from '../../src/contract/store.ts';
import type { ToolEffect } from '../../src/contract/tool-display.ts';
import { defineTool, type ToolContext } from '../../src/contract/tool.ts';
import { createAgent } from '../../src/create-agent.ts';
import type { Files } from '../../src/files/files.ts';
import { memoryFiles } from '../../src/files/memory-files.ts';

export const claimMs = 1000;

type Options = Partial<AgentOptions>;
type Sleep = () => Promise<void>;
type Begun = (what: string) => void;
export type Place = (sleep: Sleep, begun: Begun) => Options;

export const question: InterruptRequest = { kind: 'ask', payload: null, answer: { type: 'string' } };

/** The places at which a process can wake up, by the work that it is about to begin there. */
export const places: Readonly<Record<string, Place>> = {
  'a model call': (sleep) => ({
    plugins: [
      plugin(({ hooks }) =>
        hooks.beforeModel.tap('x', async () => {
          await sleep();
          return undefined;
        }),
      ),
    ],
  }),
  'a model call of a plugin': (sleep, begun) => ({
    plugins: [
      plugin(({ hooks, generate }) => {
        hooks.beforeAgent.tap('x', async (run) => {
          await sleep();
          await generate(run, { messages: [message('m')] }, { purpose: 'summary' });
          begun('what follows');
        });
      }),
    ],
  }),
  'a function of once in beforeAgent': (sleep, begun) => ({
    plugins: [
      plugin(({ hooks }) => {
        hooks.beforeAgent.tap('x', async (run) => {
          await sleep();
          await run.once('k', () => begun('once'));
        });
      }),
    ],
  }),
  'a function of once in a tool': (sleep, begun) =>
    callsTool('write', async ({ once }) => {
      await sleep();
      await once('k', () => begun('once'));
    }),
  'a function of once around a model call': (sleep, begun) => ({
    plugins: [
      plugin(({ hooks }) => {
        hooks.wrapModelCall.tap('x', async (_request, _next, scope) => {
          await sleep();
          await scope.once('k', () => begun('once'));
          throw new Error('the run went on');
        });
      }),
    ],
  }),
  'a question in beforeModel': (sleep, begun) => ({
    plugins: [
      plugin(({ hooks }) => {
        hooks.beforeModel.tap('x', async (_request, run) => {
          await sleep();
          await asked(run, begun);
          return undefined;
        });
      }),
    ],
  }),
  'a question of a tool': (sleep, begun) =>
    callsTool('write', async (context) => {
      await sleep();
      await asked(context, begun);
    }),
  'a call of a tool that reads': (sleep, begun) => callsLate('read', sleep, begun),
  'a call of an idempotent tool': (sleep, begun) => callsLate('idempotent', sleep, begun),
  'a call of a tool that writes': (sleep, begun) => callsLate('write', sleep, begun),
  'a file that a hook writes': (sleep, begun) => ({
    files: tellingFiles(begun),
    plugins: [
      plugin(({ hooks }) => {
        hooks.beforeAgent.tap('x', async (run) => {
          await sleep();
          await run.files.write('/x', 'late');
        });
      }),
    ],
  }),
  'a file that a tool appends to': (sleep, begun) =>
    changesFile(sleep, begun, (files) => files.append('/x', 'late')),
  'a file that a tool removes': (sleep, begun) => changesFile(sleep, begun, (files) => files.remove('/x')),
};

export function plugin(setup: (context: PluginSetup) => void): Plugin {
  return definePlugin({ name: 'sleeper', setup })();
}

/** Asks a question, and reports when it is stored. */
async function asked({ interrupt }: Pick<ToolContext, 'interrupt'>, begun: Begun): Promise<void> {
  try {
    await interrupt(question);
  } catch (error) {
    if (isInterrupt(error)) begun('the question');
    throw error;
  }
}

export function callsTool(effect: ToolEffect, execute: (context: ToolContext) => Promise<void>): Options {
  const tool = defineTool({
    name: 'work',
    description: 'Works.',
    input: { type: 'object' },
    effect,
    execute: async (_args, context) => {
      await execute(context);
      return 'done';
    },
  });
  return { tools: [tool] };
}

/** Returns options with a layer that sleeps before the call is executed. */
function callsLate(effect: ToolEffect, sleep: Sleep, begun: Begun): Options {
  return {
    ...callsTool(effect, async () => begun('the tool')),
    plugins: [
      plugin(({ hooks }) => {
        hooks.wrapToolCall.tap('x', async (call, next) => {
          await sleep();
          return next(call);
        });
      }),
    ],
  };
}

function changesFile(sleep: Sleep, begun: Begun, change: (files: Files) => Promise<unknown>): Options {
  return {
    files: tellingFiles(begun),
    ...callsTool('read', async ({ files }) => {
      await sleep();
      await change(files);
    }),
  };
}

/** Creates files that report each change. */
function tellingFiles(begun: Begun): Files {
  const files = memoryFiles();
  return {
    ...files,
    write(...args) {
      begun('the write');
      return files.write(...args);
    },
    append(...args) {
      begun('the append');
      return files.append(...args);
    },
    remove(...args) {
      begun('the removal');
      return files.remove(...args);
    },
  };
}

export function agentAt(place: Place, store: Store, sleep: Sleep, begun: Begun): Promise<Agent> {
  const options = place(sleep, begun);
  const answer: ScriptedStep = () => {
    begun('the model');
    return { text: 'done' };
  };
  const calls: ScriptedStep = { toolCalls: [{ name: 'work' }] };
  const model = scriptedModel(options.tools === undefined ? [answer, answer] : [calls, answer]);
  return createAgent({ model, store, claimMs, log: 'silent', ...options });
}
