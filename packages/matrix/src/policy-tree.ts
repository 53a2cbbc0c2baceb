import { randomFrom, randomSome, type Random } from './random.ts';

/** The policies of a root. Each forbids the same calls: paying the boss, and writing secrets. */
export const policies = [
  'deny names',
  'deny arguments',
  'deny by default',
  'ask about names',
  'ask about arguments',
  'ask by default',
  'entries',
  'entries, nobody to ask',
  'a gate',
] as const;

export type PolicyName = (typeof policies)[number];

/** All ways to try a forbidden call. */
export const ways = [
  'own name',
  'prefix',
  'alias',
  'grant',
  'edited by a layer',
  'edited by a person',
  'asked more',
  'taken from the parent',
] as const;

export type Way = (typeof ways)[number];

/** A call that the policy of the root forbids. */
export interface Attempt {
  /** Distinguishes the call from all others. It is a part of the arguments. */
  readonly mark: string;
  readonly way: Way;
  readonly depth: number;
  /** True if the call belongs to a task in the background, or to a task below one. */
  readonly isBackground: boolean;
  readonly name: string;
  readonly input: Readonly<Record<string, string>>;
}

/** An agent of a tree, with its script. */
export interface TreeAgent {
  readonly name: string;
  /** True if its parent does not wait for its task. */
  readonly isBackground: boolean;
  /** The calls of each step, which are made side by side. */
  readonly steps: readonly (readonly (Attempt | 'look')[])[];
  /** The calls of a second task, in the session of the first one. */
  readonly more: readonly Attempt[];
  readonly grants: readonly string[];
  readonly tools: readonly string[];
  readonly plugins: readonly string[];
  readonly children: readonly TreeAgent[];
}

/** A tree of agents and the policy of its root, all of which follow from a seed. */
export interface PolicyTree {
  readonly policy: PolicyName;
  readonly root: TreeAgent;
  /** The name of the tool that delegates tasks. */
  readonly task: string;
  /** The prefix of the names of the file tools. */
  readonly prefix: string;
  readonly plugins: readonly { readonly id: TreePlugin; readonly priority: number }[];
  /** The priority of the application's gate. It may stand outside or inside of the approval. */
  readonly gatePriority: number;
  readonly toolConcurrency: number;
  /** The most questions that one resume answers. */
  readonly answersAtOnce: number;
}

/** Plugins that decide nothing, in addition to those of the policy. */
export const treePlugins = [
  'limits',
  'redaction',
  'tool-retry',
  'todo',
  'repair',
  'clear-tool-results',
] as const;

export type TreePlugin = (typeof treePlugins)[number];

/** Returns a random tree. One tree in ten tries no forbidden call, but has the same plugins. */
export function policyTree(seed: number): PolicyTree {
  const random = randomFrom(seed);
  const oneOf = <T>(list: readonly [T, ...T[]]): T => list[random(list.length)] ?? list[0];
  const policy = policies[seed % policies.length] ?? 'a gate';
  const prefix = oneOf(['', 'work_', 'a-']);
  const plugins = randomSome(treePlugins, random(4), random).map((id) => ({ id, priority: random(101) }));
  const ids = plugins.map(({ id }) => id);
  const growth: Growth = { random, policy, prefix, plugins: ids, isHarmless: seed % 10 === 0, grown: 0 };
  return {
    policy,
    root: growAgent(growth, 0),
    task: oneOf(['task', 'delegate', 'ask_agent']),
    prefix,
    plugins,
    gatePriority: random(101),
    toolConcurrency: 1 + random(4),
    answersAtOnce: 1 + random(5),
  };
}

interface Growth {
  readonly random: Random;
  readonly policy: PolicyName;
  readonly prefix: string;
  readonly plugins: readonly string[];
  readonly isHarmless: boolean;
  /** The number of agents so far. */
  grown: number;
}

function growAgent(growth: Growth, depth: number, isPayGone = false, isBelow = false): TreeAgent {
  const { random, plugins, isHarmless } = growth;
  const isBackground = depth > 0 && random(4) === 0;
  const inBackground = isBelow || isBackground;
  growth.grown += 1;
  const name = `agent-${growth.grown}`;
  const isTaking = depth > 0 && depth < 3 && random(4) === 0;
  const possible = ways.filter((way) => canTry(way, growth, { depth, isPayGone, isBackground }));
  const attempts = isHarmless
    ? []
    : randomSome(possible, depth === 0 ? random(2) : 1 + random(3), random).map((way, index) =>
        attemptOf({ way, mark: `${name}-${index}`, depth, isBackground: inBackground }, growth),
      );
  const calls = attempts.filter(({ way }) => way !== 'asked more');
  const sizes = [1 + random(2), 2];
  const children = Array.from(
    { length: depth === 3 || growth.grown > 7 ? 0 : (sizes[Number(depth > 0)] ?? 1) },
    (_, index) =>
      index === 0 || random(2) === 0
        ? growAgent(growth, depth + 1, isTaking || isPayGone, inBackground)
        : undefined,
  );
  return {
    name,
    isBackground,
    steps: inSteps(['look', ...calls], random),
    more: attempts.filter(({ way }) => way === 'asked more'),
    grants: attempts.some(({ way }) => way === 'grant') ? ['vault'] : [],
    tools: isTaking ? ['*', '!pay'] : ['*'],
    plugins: randomSome(plugins, random(plugins.length + 1), random),
    children: children.flatMap((child) => child ?? []),
  };
}

/** Returns true if an agent can try a way. */
function canTry(
  way: Way,
  { policy, prefix }: Growth,
  at: { readonly depth: number; readonly isPayGone: boolean; readonly isBackground: boolean },
): boolean {
  switch (way) {
    case 'prefix':
      return prefix !== '';
    case 'own name':
    case 'edited by a layer':
      return !at.isPayGone;
    case 'taken from the parent':
      return at.isPayGone;
    case 'grant':
      return at.depth > 0;
    case 'asked more':
      return at.depth > 0 && !at.isBackground;
    // If the policy asks, the person who edits would also be the one who decides.
    case 'edited by a person':
      return policy.startsWith('deny') || policy === 'a gate';
    case 'alias':
      return true;
  }
}

function attemptOf(
  at: Pick<Attempt, 'way' | 'mark' | 'depth' | 'isBackground'>,
  { random, prefix }: Growth,
): Attempt {
  const { mark } = at;
  const pay = (name: string, to = 'boss'): Attempt => ({ ...at, name, input: { to, mark } });
  const write = (): Attempt => {
    const path = `${random(2) === 0 ? '/' : ''}secrets/${mark}.txt`;
    return { ...at, name: `${prefix}write_file`, input: { path, content: mark } };
  };
  switch (at.way) {
    case 'own name':
    case 'taken from the parent':
      return pay('pay');
    case 'prefix':
      return write();
    case 'alias':
      return pay('transfer');
    case 'grant':
      return pay('vault');
    case 'edited by a layer':
      return pay('pay', 'layer');
    case 'edited by a person':
      return pay('bait', 'friend');
    case 'asked more':
      return random(2) === 0 ? pay('transfer') : write();
  }
}

function inSteps<T>(calls: readonly T[], random: Random): T[][] {
  const steps: T[][] = [];
  for (const call of randomSome(calls, calls.length, random)) {
    const last = steps.at(-1);
    if (last === undefined || random(2) === 0) steps.push([call]);
    else last.push(call);
  }
  return steps;
}

/** Returns all attempts of a tree. */
export function attemptsIn({ steps, more, children }: TreeAgent): readonly Attempt[] {
  const own = [...steps.flat(), ...more].flatMap((call) => (call === 'look' ? [] : call));
  return [...own, ...children.flatMap(attemptsIn)];
}
