import { expect, it } from 'vitest';

import { definePlugin } from './define-plugin.ts';
import { isPlugin, isPluginFactory, pluginBrand } from './plugin.ts';

const factory = definePlugin({ name: 'a', setup() {} });
const plugin = factory();

it('a plugin is known by its brand and definition', () => {
  expect(plugin[pluginBrand]).toBe(true);
  expect([plugin, { [pluginBrand]: true, definition: {} }].map(isPlugin)).toEqual([true, true]);
  for (const other of [
    factory,
    { definition: {} },
    { [pluginBrand]: true },
    { [pluginBrand]: true, definition: null },
    null,
  ])
    expect(isPlugin(other)).toBe(false);
});

it('a factory of plugins is known by its definition', () => {
  expect([factory, Object.assign(() => plugin, { definition: {} })].map(isPluginFactory)).toEqual([
    true,
    true,
  ]);
  for (const other of [
    plugin,
    { definition: {} },
    () => plugin,
    Object.assign(() => plugin, { definition: 'a' }),
    null,
  ])
    expect(isPluginFactory(other)).toBe(false);
});
