import {
  createAgent,
  definePlugin,
  defineTool,
  memoryStore,
  textOf,
  type Agent,
  type Answers,
  type Interrupt,
  type JsonObject,
  type Message,
  type Plugin,
  type PluginEntry,
  type Tool,
} from '@shallot/core';
import { memoryFiles } from '@shallot/core/files';
import type { ChatModel } from '@shallot/core/model';
import type { Store } from '@shallot/core/store';
import filesystem from '@shallot/plugin-filesystem';
import hitl from '@shallot/plugin-hitl';
import subagents, { type SubagentOptions } from '@shallot/plugin-subagents';

import { layers } from './layers.ts';
import {
  attemptsIn,
  policyTree,
  type Attempt,
  type PolicyName,
  type PolicyTree,
  type TreeAgent,
} from './policy-tree.ts';
import { randomFrom, type Random } from './random.ts';

/** The fate of a forbidden call. `no such tool` means that the agent was not given the tool. */
export type Fate = 'denied' | 'asked about' | 'no such tool' | 'got through' | 'not tried' | 'done twice';

export interface TriedAttempt extends Attempt {
  readonly fate: Fate;
}

const sessionId = 'tree';

/** Plays a tree to its end, as if in a new process after each answer. With `isFree` the tree has no policy. */
export async function playPolicyTree(
  seed: number,
  isFree = false,
): Promise<{ readonly tree: PolicyTree; readonly tried: readonly TriedAttempt[] }> {
  const tree = policyTree(seed);
  const random = randomFrom(seed + 1);
  const stage: Stage = { tree, isFree, store: memoryStore(), files: memoryFiles(), done: [] };
  const asked = new Map<string, 'approve' | 'reject'>();
  let agent = await stageAgent(stage);
  let { outcome, interrupts } = await agent.run('Go.', { sessionId });
  for (let turn = 0; outcome === 'interrupted' && turn < 100; turn += 1) {
    const answers = answerSome(interrupts, tree, asked, random);
    await agent.close();
    agent = await stageAgent(stage);
    ({ outcome, interrupts } = await agent.resume(sessionId, answers));
  }
  if (outcome !== 'completed') throw new Error(`tree ${seed} ended as ${outcome}`);
  const results = await resultsIn(agent, stage.store);
  await agent.close();
  const tried = attemptsIn(tree.root).map((attempt) => {
    const { mark } = attempt;
    const times = stage.done.filter((each) => each === mark).length;
    const wrong =
      times > 1 ? 'done twice' : asked.get(mark) !== 'approve' && times === 1 ? 'got through' : undefined;
    const fate: Fate = wrong ?? (asked.has(mark) ? 'asked about' : (results.get(mark) ?? 'not tried'));
    return Object.assign({ fate }, attempt);
  });
  return { tree, tried };
}

/** Answers some of the questions. The edits that it makes are forbidden calls, which the policy must still stop. */
function answerSome(
  interrupts: readonly Interrupt[],
  { answersAtOnce, prefix }: PolicyTree,
  asked: Map<string, 'approve' | 'reject'>,
  random: Random,
): Answers {
  const chosen = interrupts.slice(0, answersAtOnce);
  return Object.fromEntries(
    chosen.map(({ id, call }) => {
      const mark = markOf(call?.input);
      if (call?.name === 'bait') {
        const pay = {
          decision: 'edit',
          name: random(2) === 0 ? 'pay' : 'transfer',
          args: { to: 'boss', mark },
        };
        const write = {
          decision: 'edit',
          name: `${prefix}write_file`,
          args: { path: `/secrets/${mark}.txt`, content: mark },
        };
        return [id, random(3) === 0 ? write : pay];
      }
      const decision = random(2) === 0 ? 'approve' : 'reject';
      asked.set(mark, decision);
      return [id, { decision }];
    }),
  );
}

function markOf(input: unknown): string {
  const { mark, content } = Object(input) as { readonly mark?: string; readonly content?: string };
  return mark ?? content ?? 'none';
}

/** Returns the fates of all marked calls that were denied or had no tool, by mark, in any session of the tree. */
async function resultsIn(agent: Agent, store: Store): Promise<Map<string, Fate>> {
  const found = new Map<string, Fate>();
  const read = async (id: string): Promise<void> => {
    const messages = (await agent.session(id))?.messages ?? [];
    for (const message of messages) if (message.role === 'tool') note(messages, message);
    for await (const child of store.list({ parent: id })) await read(child.id);
  };
  const note = (messages: readonly Message[], result: Message & { role: 'tool' }): void => {
    const calls = messages.flatMap(({ role, content }) => (role === 'assistant' ? content : []));
    const call = calls.find((part) => part.type === 'tool-call' && part.id === result.callId);
    const mark = markOf(call?.type === 'tool-call' ? call.input : undefined);
    if (result.denied !== undefined) found.set(mark, 'denied');
    else if (result.isError === true && /no tool|unknown tool|not offered/i.test(textOf(result)))
      found.set(mark, 'no such tool');
  };
  await read(sessionId);
  return found;
}

interface Stage {
  readonly tree: PolicyTree;
  readonly isFree: boolean;
  readonly store: Store;
  readonly files: ReturnType<typeof memoryFiles>;
  /** The marks of executed calls. */
  readonly done: string[];
}

function stageAgent({ tree, isFree, store, files, done }: Stage): Promise<Agent> {
  const agents = agentsIn(tree.root, tree);
  const { permissions, plugins } = isFree
    ? { permissions: undefined, plugins: [hitl({ tools: { bait: true } })] }
    : policyOf(tree);
  const all: PluginEntry[] = [
    ...plugins,
    filesystem({ prefix: tree.prefix }),
    goods(done),
    subagents({ agents, toolName: tree.task, maxTasks: 50 }),
    ...tree.plugins.map(({ id, priority }) => ({ use: layers[id](), id, priority })),
  ];
  return createAgent({
    name: 'root',
    model: modelOf(tree.root, tree),
    tools: [],
    plugins: all,
    ...(permissions === undefined ? {} : { permissions }),
    store,
    files,
    toolConcurrency: tree.toolConcurrency,
    log: 'silent',
  });
}

/** Returns a plugin with the tools of a tree, and with a layer that changes calls before the gates see them. */
function goods(done: string[]): Plugin {
  const input = { type: 'object', properties: { to: { type: 'string' }, mark: { type: 'string' } } } as const;
  const make = (name: string): Tool =>
    defineTool({ name, description: name, input, execute: (given) => void done.push(markOf(given)) });
  return definePlugin({
    name: 'goods',
    setup({ hooks, tools }) {
      for (const name of ['pay', 'transfer', 'bait']) tools.add(make(name));
      tools.add(make('vault'), { offered: false });
      tools.add(
        defineTool({ name: 'look', description: 'Looks.', input, effect: 'read', execute: () => 'seen' }),
      );
      hooks.wrapToolCall.tap({ name: 'change', tree: true }, (call, next) => {
        const input = Object(call.input) as JsonObject;
        return next(input['to'] === 'layer' ? { ...call, input: { ...input, to: 'boss' } } : call);
      });
      // Notes each mark that is written, because a file does not record which calls wrote it.
      hooks.wrapToolCall.tap({ name: 'note', gate: true, priority: 0 }, (call, next) => {
        if (call.name.endsWith('write_file')) done.push(markOf(call.input));
        return next(call);
      });
    },
  })();
}

function policyOf({ policy, prefix, task, gatePriority }: PolicyTree) {
  const names = ['pay', 'transfer', 'vault', `${prefix}write_file`];
  const withArguments = ['pay(to=boss)', 'transfer(to=boss)', 'vault(to=boss)', 'edit(secrets/**)'];
  const free = [`${task}*`, 'look', 'read', `${prefix}ls`, 'write_todos*'];
  const ask = ['bait'];
  const terms = {
    'deny names': { permissions: { deny: names, ask, default: 'allow' } },
    'deny arguments': { permissions: { deny: withArguments, ask, default: 'allow' } },
    'deny by default': { permissions: { allow: free, ask, default: 'deny' } },
    'ask about names': { permissions: { ask: names, default: 'allow' } },
    'ask about arguments': { permissions: { ask: withArguments, default: 'allow' } },
    'ask by default': { permissions: { allow: free, default: 'ask' } },
    entries: { entries: Object.fromEntries(names.map((name) => [name, true])) },
    'entries, nobody to ask': {
      entries: Object.fromEntries(names.map((name) => [name, true])),
      nobody: true,
    },
    'a gate': { entries: { bait: true }, gate: names },
  } as const satisfies Record<PolicyName, object>;
  const { permissions, entries, nobody, gate = [] }: Terms = terms[policy];
  const approval = hitl({ ...(entries && { tools: entries }), ...(nobody === true && { ask: 'deny' }) });
  return { permissions, plugins: [approval, { use: gateOn(gate), priority: gatePriority }] };
}

interface Terms {
  readonly permissions?: NonNullable<Parameters<typeof createAgent>[0]['permissions']>;
  readonly entries?: Readonly<Record<string, boolean>>;
  readonly nobody?: boolean;
  readonly gate?: readonly string[];
}

/** Returns a gate such as an application may add. */
function gateOn(names: readonly string[]): Plugin {
  return definePlugin({
    name: 'own-gate',
    setup({ hooks, id }) {
      hooks.wrapToolCall.tap({ name: 'refuse', gate: true }, (call, next) =>
        names.includes(call.name)
          ? { content: `No ${call.name}.`, isError: true, denied: { by: id, reason: 'not here' } }
          : next(call),
      );
    },
  })();
}

function agentsIn(parent: TreeAgent, tree: PolicyTree): SubagentOptions[] {
  return parent.children.flatMap((agent) => [
    {
      name: agent.name,
      description: agent.name,
      model: modelOf(agent, tree),
      tools: agent.tools,
      grants: agent.grants,
      plugins: agent.plugins,
    },
    ...agentsIn(agent, tree),
  ]);
}

const prompts: ReadonlySet<string> = new Set(['Go.', 'More.']);

type Call = readonly [name: string, input: object];

/** Returns a model that follows the script of an agent of the tree. It keeps no state, so any process can continue. */
function modelOf(agent: TreeAgent, { task }: PolicyTree): ChatModel {
  const own = agent.steps.map((step) =>
    step.map((call): Call => (call === 'look' ? ['look', {}] : [call.name, call.input])),
  );
  const tasks = agent.children.map(({ name, isBackground: background }): Call => [
    task,
    { agent: name, prompt: 'Go.', ...(background && { background }) },
  ]);
  const script = [...own.slice(0, 1), ...(tasks.length === 0 ? [] : [tasks]), ...own.slice(1)];
  const more = agent.more.map((call): Call => [call.name, call.input]);
  return {
    id: agent.name,
    generate: async ({ messages }) => {
      // Other messages of the user report tasks in the background that have ended.
      const last = messages.findLastIndex(
        (message) => message.role === 'user' && prompts.has(textOf(message)),
      );
      const isMore = textOf(messages[last] ?? { content: [] }) === 'More.';
      const step = messages.slice(last).filter(({ role }) => role === 'assistant').length;
      const again = askingMore(agent, task, messages);
      const steps = isMore ? [more] : [...script, ...(again.length === 0 ? [] : [again])];
      const content = (steps[step] ?? []).map(([name, input], index) => ({
        type: 'tool-call' as const,
        id: `call_${step}_${index}`,
        name,
        input: input as never,
      }));
      if (content.length > 0) return { message: { role: 'assistant', content }, finish: 'tool-calls' };
      const text = [{ type: 'text' as const, text: `${agent.name} is done.` }];
      return { message: { role: 'assistant', content: text }, finish: 'stop' };
    },
  };
}

/** Returns the calls that give children a second task, in the sessions that the results of the first task name. */
function askingMore({ children }: TreeAgent, task: string, messages: readonly Message[]): Call[] {
  const results = messages.flatMap((message) => (message.role === 'tool' ? [textOf(message)] : []));
  return children.flatMap(({ name, more }): Call[] => {
    const result = results.find((text) => text.startsWith(`${name} is done.`));
    const session = /session: (child_[\w-]+)\]/.exec(result ?? '')?.[1];
    return more.length === 0 || session === undefined
      ? []
      : [[task, { agent: name, prompt: 'More.', session }]];
  });
}
