// A worker whose agent begins a tree of runs that write and ask on each level. It may be killed at any time.
import { setTimeout as sleep } from 'node:timers/promises';

import { createAgent, defineTool, type Tool } from '@shallot/core';
import type { ChatModel } from '@shallot/core/model';

import { openTreeStore, type TreePlace } from '../trees/open-tree-store.ts';
import { TreeLedger } from '../trees/tree-ledger.ts';

/** The settings of a worker. */
export interface TreeTerms {
  readonly place: TreePlace;
  readonly ledger: string;
  /** The host name that the worker uses in its claims; undefined for that of this machine. */
  readonly host: string | undefined;
  readonly claimMs: number;
}

// The parent process wrote this JSON.
const { place, ledger: ledgerPath, host, claimMs } = JSON.parse(process.argv[2] ?? '') as TreeTerms;
const ledger = new TreeLedger(ledgerPath);

const usage = { input: 10, output: 1, total: 11 };

/**
 * Returns a model that makes these calls in one step, and answers with its name once it has the results. It keeps no
 * state.
 */
function doing(name: string, ...calls: readonly (readonly [tool: string, args: object])[]): ChatModel {
  return {
    id: name,
    async generate({ messages }) {
      await sleep(10);
      const content = calls.map(([tool, args], index) => ({
        type: 'tool-call' as const,
        id: `call_${index}`,
        name: tool,
        input: args as never,
      }));
      if (messages.at(-1)?.role === 'user')
        return { message: { role: 'assistant', content }, usage, finish: 'tool-calls' };
      const text = [{ type: 'text' as const, text: `${name} is done.` }];
      return { message: { role: 'assistant', content: text }, usage, finish: 'stop' };
    },
  };
}

const agents: Readonly<Record<string, ChatModel>> = {
  low: doing('low', ['write', {}], ['confirm', {}]),
  side: doing('side', ['write', {}], ['confirm', {}]),
  mid: doing('mid', ['delegate', { to: 'low' }], ['write', {}]),
};

const delegate = defineTool({
  name: 'delegate',
  description: 'Delegates.',
  input: { type: 'object', properties: { to: { type: 'string' } } },
  effect: 'idempotent',
  async execute(args, { child }) {
    const { to } = args as { readonly to: string };
    const model = agents[to];
    if (model === undefined) throw new Error(`there is no agent ${to}`);
    return (await child({ agent: { name: to, model }, prompt: `Do the work of ${to}.` })).text;
  },
});

/** Returns a tool that writes to the ledger; `confirm` first asks a question. */
function writing(name: 'write' | 'confirm'): Tool {
  return defineTool({
    name,
    description: 'Writes to the ledger.',
    input: { type: 'object' },
    async execute(_, { run, interrupt }) {
      let root = run.parent;
      while (root?.parent !== undefined) root = root.parent;
      const effect = { tree: root?.sessionId ?? run.sessionId, mark: `${run.agent} ${name}` };
      if (name === 'confirm')
        await interrupt({ kind: 'question', payload: effect, answer: { enum: ['yes'] } });
      const repeats = ledger.repeats(effect);
      await sleep(20 * Math.random());
      await ledger.make(effect, repeats);
      await sleep(20 * Math.random());
      return 'written';
    },
  });
}

const agent = await createAgent({
  name: 'root',
  model: doing('root', ['delegate', { to: 'mid' }], ['delegate', { to: 'side' }], ['write', {}]),
  tools: [delegate, writing('write'), writing('confirm')],
  store: openTreeStore(place, host),
  claimMs,
  log: 'silent',
});
process.stdout.write('ready\n');
await agent.work({ concurrency: 3, intervalMs: 100, retryPauseMs: 20 });
