import type { ChildAgent } from '../src/contract/work/child.ts';
import { defineTool, type Tool } from '../src/index.ts';
import type { ChatModel } from '../src/model.ts';
import type { Store } from '../src/store.ts';

const usage = { input: 10, output: 1, total: 11 };
/**
 * Creates a model that makes these calls when it is asked, and says its name once it has the results. It keeps no
 * state.
 */
export function doing(name: string, ...calls: readonly (readonly [tool: string, args: object])[]): ChatModel {
  return {
    id: name,
    generate: async ({ messages }) => {
      const last = messages.at(-1);
      const isAsked = last?.role === 'user' && last.source !== 'children';
      const content = calls.map(([tool, args], index) => ({
        type: 'tool-call' as const,
        id: `call_${index}`,
        name: tool,
        input: args as never,
      }));
      if (isAsked && calls.length > 0)
        return { message: { role: 'assistant', content }, usage, finish: 'tool-calls' };
      const text = { type: 'text' as const, text: `${name} is done.` };
      return { message: { role: 'assistant', content: [text] }, usage, finish: 'stop' };
    },
  };
}

/** Creates a tool that runs the child named by its argument `to`. */
export function delegate(agents: Readonly<Record<string, Omit<ChildAgent, 'name'>>>): Tool {
  return defineTool({
    name: 'delegate',
    description: 'Delegates.',
    input: { type: 'object', properties: { to: { type: 'string' } } },
    effect: 'idempotent',
    async execute(args, { child }) {
      const { to } = args as { readonly to: string };
      return (await child({ agent: { ...agents[to], name: to }, prompt: `Do the work of ${to}.` })).text;
    },
  });
}

/** Creates a tool that begins the child named by its argument `to` in the background. */
export function beside(agents: Readonly<Record<string, Omit<ChildAgent, 'name'>>>, waitMs?: number): Tool {
  const agent = (name: string): ChildAgent | undefined => {
    const found = agents[name];
    return found === undefined ? undefined : { ...found, name };
  };
  return defineTool({
    name: 'begin',
    description: 'Delegates in the background.',
    input: { type: 'object', properties: { to: { type: 'string' } } },
    effect: 'idempotent',
    background: { agent, ...(waitMs === undefined ? {} : { waitMs }) },
    async execute(args, { children }) {
      const { to } = args as { readonly to: string };
      return children.begin({ agent: { ...agents[to], name: to }, prompt: `Do the work of ${to}.` });
    },
  });
}

const yesOrNo = { enum: ['yes', 'no'] } as const;

/** Creates a tool that asks a person. Once it has the answer, it adds its argument `n` to `done`. */
export function makeAsk(done: unknown[] = []): Tool {
  return defineTool({
    name: 'ask',
    description: 'Asks.',
    input: { type: 'object', properties: { n: { type: 'number' } } },
    async execute(args, { interrupt }) {
      const answer = await interrupt({ kind: 'question', payload: args, answer: yesOrNo });
      done.push((args as { readonly n: number }).n);
      return answer;
    },
  });
}

/** Returns the ids of the child sessions of a session, without those further below. */
export async function childrenOf(store: Store, parent: string): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of store.list({ parent })) ids.push(id);
  return ids;
}
