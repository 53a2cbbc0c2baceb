import { expect, it } from 'vitest';

import { scriptedModel } from '../../../testing/src/scripted-model.ts';
import { isShallotError } from '../base/errors.ts';
import { hookNames, type HookName } from '../base/hook-names.ts';
import { definePlugin } from '../contract/define-plugin.ts';
import type { LayerInfo } from '../contract/hooks.ts';
import type { PluginEntry } from '../contract/plugin.ts';
import type { Priority } from '../contract/priority.ts';
import { defineTool } from '../contract/tool.ts';
import { createAgent } from '../create-agent.ts';

/** One tap of a random plugin. */
interface RandomTap {
  readonly hook: HookName;
  readonly label: string;
  readonly priority?: number;
  readonly gate: boolean;
}

/** One random plugin, with what its entry says. */
interface RandomPlugin {
  readonly id: string;
  readonly own: Placing;
  readonly entry: Placing;
  readonly taps: readonly RandomTap[];
}

interface Placing {
  readonly priority?: Priority;
  readonly outside: readonly string[];
  readonly inside: readonly string[];
}

/** Numbers that are the same for the same seed. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function randomSet(seed: number): RandomPlugin[] {
  const random = randomFrom(seed * 7919 + 1);
  const ids = ['a', 'b', 'c', 'd', 'e', 'f'].slice(0, 2 + random(5));
  const someOf = (id: string): string[] =>
    random(4) === 0 ? ids.filter((other) => other !== id && random(ids.length) === 0) : [];
  const number = (): number => random(5) * 25;
  const priority = (): { priority?: Priority } => {
    const kind = random(4);
    if (kind === 0) return {};
    if (kind === 1) return { priority: { [hookNames[random(6)] ?? 'beforeModel']: number() } };
    if (kind === 2) return { priority: { default: number(), wrapToolCall: number() } };
    return { priority: number() };
  };
  const placing = (id: string): Placing => ({ ...priority(), outside: someOf(id), inside: someOf(id) });
  return ids.map((id) => ({
    id,
    own: placing(id),
    entry: random(2) === 0 ? { outside: [], inside: [] } : placing(id),
    taps: Array.from({ length: 1 + random(4) }, (_, index) => {
      const hook = hookNames[random(6)] ?? 'beforeModel';
      return {
        hook,
        label: `t${index}`,
        gate: hook === 'wrapToolCall' && random(3) === 0,
        ...(random(4) === 0 && { priority: number() }),
      };
    }),
  }));
}

/** The plugins as a list, each tap of which notes that it was entered. */
function tracing(set: readonly RandomPlugin[], trace: (hook: HookName, tap: string) => void): PluginEntry[] {
  return set.map(({ id, own, entry, taps }) => ({
    ...entry,
    use: definePlugin({
      name: id,
      ...own,
      setup({ hooks }) {
        for (const { hook, label, gate, priority } of taps) {
          const note = (): void => trace(hook, `${id}/${label}`);
          const options = { name: label, ...(priority !== undefined && { priority }) };
          if (hook === 'wrapModelCall') {
            hooks.wrapModelCall.tapPromise(options, (request, next) => (note(), next(request)));
          } else if (hook === 'wrapToolCall') {
            hooks.wrapToolCall.tapPromise({ ...options, gate }, (call, next) => (note(), next(call)));
          } else {
            hooks[hook].tap(options, note);
          }
        }
      },
    })(),
  }));
}

async function runTraced(set: readonly RandomPlugin[]) {
  const seen: Partial<Record<HookName, string[]>> = {};
  const once = (hook: HookName, tap: string): void => {
    const list = (seen[hook] ??= []);
    if (!list.includes(tap)) list.push(tap);
  };
  await using agent = await createAgent({
    model: scriptedModel([{ toolCalls: [{ name: 'missing', args: {} }] }, { text: 'Done.' }]),
    tools: [{ name: 'missing', description: 'A tool.', input: { type: 'object' }, execute: () => 'x' }].map(
      (tool) => defineTool(tool),
    ),
    plugins: tracing(set, once),
    log: 'silent',
  });
  await agent.run('Hi');
  return { layers: agent.layers(), seen };
}

/** Checks that the stated reasons are true. */
function expectReasonsToHold(
  layers: readonly LayerInfo[],
  hook: HookName,
  set: readonly RandomPlugin[],
): void {
  const outsideIn = hook === 'afterModel' || hook === 'afterAgent' ? layers.toReversed() : layers;
  for (const gate of [false, true]) {
    const all = outsideIn.filter((layer) => layer.gate === gate);
    // Without what edges have moved, the rest is in the order of priorities, and of the list.
    const unmoved = all.filter(({ reason }) => reason.edge === undefined);
    for (const [index, layer] of unmoved.entries()) {
      const before = unmoved[index - 1];
      const isTie = before?.priority === layer.priority;
      expect(layer.reason.tie).toBe(isTie ? before.plugin : undefined);
      expect(layer.priority).toBeLessThanOrEqual(before?.priority ?? 100);
      expect(isTie ? listed(set, before) : -1).toBeLessThan(listed(set, layer));
    }
    for (const [index, { reason, plugin }] of all.entries()) {
      expectGiver(set, all[index]);
      if (reason.edge === undefined) continue;
      const { kind, target, from } = reason.edge;
      const edges = set.find(({ id }) => id === plugin)?.[from === 'entry' ? 'entry' : 'own'][kind];
      expect(edges).toContain(target);
      const others = all.flatMap((each, place) => (each.plugin === target ? [place] : []));
      expect(others.length).toBeGreaterThan(0);
      expect(others.every((place) => (kind === 'outside' ? index < place : index > place))).toBe(true);
    }
  }
}

function listed(set: readonly RandomPlugin[], { plugin, name }: LayerInfo): number {
  const place = set.findIndex(({ id }) => id === plugin);
  return place + (set[place]?.taps.findIndex(({ label }) => label === name) ?? 0) / 10;
}

function expectGiver(set: readonly RandomPlugin[], layer: LayerInfo | undefined): void {
  const plugin = set.find(({ id }) => id === layer?.plugin);
  const tap = plugin?.taps.find(({ label }) => label === layer?.name);
  if (layer === undefined || plugin === undefined || tap === undefined) throw new Error('no such layer');
  const given = plugin.entry.priority ?? plugin.own.priority;
  const number = typeof given === 'object' ? (given[layer.hook] ?? given.default) : given;
  const giver =
    tap.priority !== undefined
      ? ['tap', tap.priority]
      : number === undefined
        ? ['default', 25]
        : [plugin.entry.priority === undefined ? 'plugin' : 'entry', number];
  expect([layer.reason.priority, layer.priority]).toEqual(giver);
}

const perTest = 50;

// A thousand sets, in tests of a second each.
it.each(Array.from({ length: 20 }, (_, index) => index * perTest))(
  'the reasons of 50 random sets of plugins agree with the order in which they run (from seed %i)',
  async (first) => {
    let compared = 0;
    let moved = 0;
    for (let seed = first; seed < first + perTest; seed += 1) {
      const set = randomSet(seed);
      try {
        const { layers, seen } = await runTraced(set);
        for (const hook of hookNames) {
          const names = layers[hook].map(({ plugin, name }) => `${plugin}/${name}`);
          expect(seen[hook] ?? [], `${hook} of set ${seed}`).toEqual(names);
          expectReasonsToHold(layers[hook], hook, set);
          moved += layers[hook].filter(({ reason }) => reason.edge !== undefined).length;
        }
        compared += 1;
      } catch (error) {
        // Edges that contradict each other have no order at all.
        if (!isShallotError(error, 'ORDER_CYCLE')) throw error;
      }
    }
    expect(compared).toBeGreaterThan(30);
    expect(moved).toBeGreaterThan(10);
  },
);
