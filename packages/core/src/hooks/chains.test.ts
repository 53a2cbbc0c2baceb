import { describe, expect, it } from 'vitest';

import type { HookName } from '../base/hook-names.ts';
import type { Priority } from '../contract/priority.ts';
import { composeChains, sortPlugins } from './chains.ts';
import type { LiveTap, TapRegistration } from './live-tap.ts';
import type { Owner } from './owner.ts';
import type { PluginTaps } from './plugin-taps.ts';

interface Given {
  readonly taps?: readonly (Partial<TapRegistration> & { readonly hook: HookName })[];
  readonly priority?: Priority;
  readonly onlyChildren?: boolean;
}

function plugin(id: string, { taps = [], ...given }: Given = {}): PluginTaps {
  // A chain does not use the other members of an owner.
  const owner = { id, slot: 0, name: id, version: undefined, at: undefined } as unknown as Owner;
  const tap = { name: 't', priority: undefined, gate: false, internal: false, tree: false, fn: () => {} };
  return {
    owner,
    priority: undefined,
    outside: [],
    inside: [],
    entry: {},
    interceptors: [],
    surrounds: [(_, next) => next()],
    taps: taps.map((each) => ({ ...tap, wantsPromise: false, ...each })),
    ...given,
  };
}

function keys(taps: readonly LiveTap[]): readonly string[] {
  return taps.map(({ key }) => key);
}

const model = 'wrapModelCall';

describe("a plugin's own model calls", () => {
  it('pass the internal layers of all other plugins', () => {
    const chains = composeChains([
      plugin('a', {
        taps: [
          { hook: model, internal: true },
          { hook: model, name: 'outer' },
        ],
      }),
      plugin('b', { taps: [{ hook: model, internal: true }] }),
      plugin('c', { taps: [{ hook: model }] }),
    ]);
    expect(keys(chains.internalFor('a').taps)).toEqual(['b/t/1']);
    expect(keys(chains.internalFor('b').taps)).toEqual(['a/t/1']);
    expect(keys(chains.internalFor('c').taps)).toEqual(['a/t/1', 'b/t/1']);
    expect(chains.internalFor('a')).toBe(chains.internalFor('a'));
    expect(chains.internalFor('a')).not.toBe(chains.internalFor('c'));
  });
});

describe('the hooks of child runs', () => {
  const plugins = [
    plugin('tree', {
      taps: [
        { hook: model, tree: true },
        { hook: model, name: 'own' },
      ],
    }),
    plugin('plain', { taps: [{ hook: model }] }),
    plugin('only', { taps: [{ hook: model }], onlyChildren: true }),
    plugin('other', { taps: [{ hook: model, tree: true }], onlyChildren: true }),
  ];
  const chains = composeChains(plugins);

  it('are the taps for the whole tree, and all of the plugins that the child lists', () => {
    expect(keys(chains.wrapModelCall.taps)).toEqual(['tree/t/1', 'tree/own/1', 'plain/t/1']);
    expect(keys(chains.forChildren([]).wrapModelCall.taps)).toEqual(['tree/t/1']);
    expect(keys(chains.forChildren(['plain', 'only']).wrapModelCall.taps)).toEqual([
      'tree/t/1',
      'plain/t/1',
      'only/t/1',
    ]);
    expect(keys(chains.forChildren(['tree']).wrapModelCall.taps)).toEqual(['tree/t/1', 'tree/own/1']);
  });

  it('are composed once for a list of plugins, in whatever order', () => {
    expect(chains.forChildren(['plain', 'only'])).toBe(chains.forChildren(['only', 'plain']));
    expect(chains.forChildren([])).not.toBe(chains.forChildren(['only']));
    const grandchildren = chains.forChildren(['only']).forChildren(['plain']);
    expect(keys(grandchildren.wrapModelCall.taps)).toEqual(['tree/t/1', 'plain/t/1']);
  });

  it('are inside the surrounds of the plugins that are not for other children', () => {
    const around = (list: readonly string[]) =>
      chains.forChildren(list).surrounds.map(({ owner }) => owner.id);
    expect(around([])).toEqual(['tree', 'plain']);
    expect(around(['only'])).toEqual(['tree', 'plain', 'only']);
    expect(chains.surrounds.map(({ owner }) => owner.id)).toEqual(['tree', 'plain']);
  });
});

describe('taps of an input or a result', () => {
  const chains = composeChains([
    plugin('a', { taps: [{ hook: 'beforeAgent' }, { hook: 'beforeAgent', name: 'in', on: 'input' }] }),
    plugin('b', {
      taps: [
        { hook: 'beforeAgent', name: 'in', on: 'input' },
        { hook: 'wrapToolCall', name: 'out', on: 'result' },
        { hook: 'wrapToolCall', name: 'gate', gate: true },
        { hook: 'wrapToolCall' },
      ],
    }),
    plugin('c', { taps: [{ hook: 'wrapToolCall', name: 'out', on: 'result' }, { hook: 'wrapToolCall' }] }),
  ]);

  it('are apart from the others, outside in and inside out', () => {
    expect(keys(chains.inputs)).toEqual(['a/in/1', 'b/in/1']);
    expect(keys(chains.results)).toEqual(['c/out/1', 'b/out/1']);
    expect(keys(chains.wrapToolCall.taps)).toEqual(['b/t/1', 'c/t/1']);
    expect(keys(chains.wrapToolCall.gates)).toEqual(['b/gate/1']);
  });

  it('are listed where they are called', () => {
    const listed = (hook: HookName) => chains.layers[hook].map(({ plugin: id, name }) => `${id}/${name}`);
    expect(listed('beforeAgent')).toEqual(['a/in', 'b/in', 'a/t']);
    expect(listed('wrapToolCall')).toEqual(['b/t', 'c/t', 'b/gate', 'c/out', 'b/out']);
    // Only taps of one kind are next to each other.
    expect(chains.layers.wrapToolCall.map(({ reason }) => reason.tie)).toEqual([
      undefined,
      'b',
      undefined,
      'b',
      undefined,
    ]);
    expect(chains.layers.wrapToolCall.map(({ on }) => on)).toEqual([
      undefined,
      undefined,
      undefined,
      'result',
      'result',
    ]);
  });
});

it('a tap is listed with what sets it apart, and known by its number among those of its name', () => {
  const chains = composeChains([
    plugin('a', {
      taps: [
        { hook: model },
        { hook: model, tree: true, internal: true },
        { hook: 'wrapToolCall', gate: true, tree: true },
        { hook: 'wrapToolCall', gate: true, tree: false },
      ],
    }),
  ]);
  expect(keys(chains.wrapModelCall.taps)).toEqual(['a/t/1', 'a/t/2']);
  const shown = (hook: HookName) =>
    chains.layers[hook].map(({ tree, gate, internal }) => ({ tree, gate, internal }));
  expect(shown(model)).toEqual([
    { tree: undefined, gate: false, internal: false },
    { tree: true, gate: false, internal: true },
  ]);
  // Gates surround child runs unless they say otherwise.
  expect(shown('wrapToolCall')).toEqual([
    { tree: undefined, gate: true, internal: false },
    { tree: false, gate: true, internal: false },
  ]);
  expect(chains.layers[model].map((layer) => ['on' in layer, 'tree' in layer])).toEqual([
    [false, false],
    [false, true],
  ]);
});

it('plugins are in the order of their default priority', () => {
  const plugins = [
    plugin('none'),
    plugin('hook', { priority: { beforeAgent: 90, wrapModelCall: 1 } }),
    plugin('both', { priority: { default: 30, beforeAgent: 0 } }),
    plugin('number', { priority: 26 }),
  ];
  expect(sortPlugins(plugins).map(({ owner }) => owner.id)).toEqual(['both', 'number', 'none', 'hook']);
});
