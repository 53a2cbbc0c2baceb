import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { createAgent, type Plugin } from '@shallot/core';
import { ownPackages, pluginManifest, shortName } from '@shallot/core/command';
import { diskFiles } from '@shallot/core/files';
import { scriptedModel } from '@shallot/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';

interface Listed {
  readonly name: string;
  /** The options with which `shallot add` writes its entry. */
  readonly options: object | undefined;
  readonly factory: (options: unknown) => Plugin;
}

/** The plugins that others ask for beside them. */
const beside: Readonly<Record<string, readonly [string, object]>> = {
  shell: ['hitl', { tools: { shell: true } }],
};

const plugins: Listed[] = [];
const root = mkdtempSync(join(tmpdir(), 'shallot-first-starts-'));

afterAll(() => rmSync(root, { recursive: true }));

beforeAll(async () => {
  for (const name of ownPackages.plugin) {
    const file = fileURLToPath(import.meta.resolve(`${name}/package.json`));
    const { entry } = pluginManifest(JSON.parse(readFileSync(file, 'utf8')) as object);
    // Each package's default export is a factory.
    const { default: factory } = (await import(name)) as { readonly default: Listed['factory'] };
    plugins.push({ name: shortName(name), options: entry?.options, factory });
  }
});

/** Starts an agent with plugins as `add` lists them, and returns what it warns of. */
async function warningsOf(...listed: readonly Listed[]): Promise<readonly unknown[]> {
  const names = listed.map(({ name }) => name);
  const more = names.flatMap((name) => {
    const [other, options] = beside[name] ?? [];
    const found = plugins.find((plugin) => plugin.name === other && !names.includes(plugin.name));
    return found === undefined ? [] : [{ ...found, options }];
  });
  const configured = (plugin: Listed): Listed => {
    const asking = Object.entries(beside).find(
      ([name, [other]]) => names.includes(name) && other === plugin.name,
    );
    return asking === undefined ? plugin : { ...plugin, options: asking[1][1] };
  };
  const agent = await createAgent({
    model: scriptedModel([]),
    log: 'silent',
    files: diskFiles(root),
    plugins: [...listed, ...more].map(configured).map(({ factory, options }) => factory(options)),
  });
  const { warnings } = agent;
  await agent.close();
  return warnings;
}

it('every plugin starts alone, with the entry that its package proposes', async () => {
  expect(plugins.length).toBeGreaterThan(16);
  for (const plugin of plugins) {
    expect({ name: plugin.name, warnings: await warningsOf(plugin) }).toEqual({
      name: plugin.name,
      warnings: [],
    });
  }
});

it('every two plugins start together, with the entries that their packages propose', async () => {
  let pairs = 0;
  for (const [index, one] of plugins.entries()) {
    for (const other of plugins.slice(index + 1)) {
      pairs += 1;
      const name = `${one.name}, ${other.name}`;
      expect({ name, warnings: await warningsOf(one, other) }).toEqual({ name, warnings: [] });
    }
  }
  expect(pairs).toBe((plugins.length * (plugins.length - 1)) / 2);
});
