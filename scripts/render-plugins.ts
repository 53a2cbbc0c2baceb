import { globSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

import { hookNames } from '../packages/core/src/base/hook-names.ts';
import { isJsonList, isJsonObject, type JsonObject, type JsonValue } from '../packages/core/src/base/json.ts';
import { findJsonSchema } from '../packages/core/src/base/schema.ts';
import { shortName } from '../packages/core/src/config/packages/names.ts';
import { otherNames } from '../packages/core/src/config/packages/other-names.ts';
import type { PluginFactory } from '../packages/core/src/contract/plugin.ts';
import { createAgent } from '../packages/core/src/create-agent.ts';
import { scriptedModel } from '../packages/testing/src/scripted-model.ts';
import { markdownTable } from './markdown-table.ts';
import { readPackage, root } from './workspace.ts';

/** The options with which a plugin uses every hook that it ever taps. Default: `{}`. */
const wholeOptions: Readonly<Record<string, object>> = {
  'context-editing': { lastN: 10 },
  limits: { timeMs: { run: 1000 } },
  resilience: {
    modelFallback: { models: [scriptedModel([], { id: 'test/other' })] },
    toolRetry: {},
    circuitBreaker: {},
    timeouts: { modelMs: 1000, toolMs: 1000 },
  },
  shell: { unattended: true, root: '.', deny: ['sudo'] },
  telemetry: { log: {} },
  toolset: { search: {} },
};

interface OwnPlugin {
  readonly short: string;
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly factory: PluginFactory<object>;
}

/**
 * Returns the page of all plugins and a page for each of them, generated from manifests, schemas and taps: the path
 * below `docs/reference`, and the text.
 */
export async function renderPlugins(): Promise<(readonly [path: string, text: string])[]> {
  const plugins = await ownPlugins();
  const pages = plugins.map(
    async (plugin) => [`plugins/${plugin.short}.md`, await renderPlugin(plugin)] as const,
  );
  return [['plugins.md', renderList(plugins)], ...(await Promise.all(pages))];
}

function renderList(plugins: readonly OwnPlugin[]): string {
  return [
    '# Plugins',
    'The plugins of this repository: name, version and place in the order; a page of each lists its hooks and options, and its README says more. These pages are generated from manifests and schemas; do not edit them. [Order](../guides/order.md) explains the priorities, [plugins together](plugin-outcomes.md) shows what they do to each other.',
    markdownTable(
      ['plugin', 'package', 'version', 'priority', 'what it does'],
      plugins.map(({ short, name, version, description, factory }) => [
        `[\`${short}\`](plugins/${short}.md)`,
        `[\`${name}\`](../../packages/plugin-${short}/README.md)`,
        version,
        inWords(factory.definition.priority),
        description,
      ]),
    ),
    '## By other names',
    'What you may know by another name. With one of these names under `use`, the loader suggests the plugin.',
    markdownTable(
      ['you look for', 'use', 'option'],
      Object.entries(otherNames)
        .toSorted(([a], [b]) => a.localeCompare(b, 'en'))
        .map(([name, { plugin, option }]) => [
          name,
          `[\`${plugin}\`](plugins/${plugin}.md)`,
          option === undefined ? '' : `\`${option}\``,
        ]),
    ),
  ]
    .join('\n\n')
    .concat('\n');
}

async function ownPlugins(): Promise<OwnPlugin[]> {
  const folders = globSync('packages/plugin-*/package.json', { cwd: root }).toSorted().map(dirname);
  return Promise.all(
    folders.map(async (folder) => {
      const { manifest } = readPackage(join(root, folder));
      const { name, version = '', description = '' } = manifest as typeof manifest & { description?: string };
      // The entry of a plugin package default-exports its factory.
      const entry = (await import(join(root, folder, 'src/index.ts'))) as {
        readonly default: PluginFactory<object>;
      };
      return {
        short: shortName(`@shallot/${basename(folder)}`),
        name,
        version,
        description,
        factory: entry.default,
      };
    }),
  );
}

async function renderPlugin({ short, name, description, factory }: OwnPlugin): Promise<string> {
  const taps = await tapRows(short, factory);
  const options = optionRows(schemaOf(factory), '');
  return [
    `# ${short}`,
    `${description.replace(/\.$/, '')}. Package [\`${name}\`](../../../packages/plugin-${short}/README.md), one of [all plugins](../plugins.md). This page is generated; do not edit it.`,
    ...(taps.length === 0
      ? ['It taps no hook; it brings tools.']
      : [markdownTable(['hook', 'tap', 'priority', 'note'], taps)]),
    ...(options.length === 0
      ? ['It takes no options.']
      : [markdownTable(['option', 'type', 'default', 'meaning'], options)]),
  ]
    .join('\n\n')
    .concat('\n');
}

async function tapRows(short: string, factory: PluginFactory<object>): Promise<string[][]> {
  const plugin = factory(wholeOptions[short] ?? {});
  const agent = await createAgent({ model: scriptedModel([]), plugins: [plugin], log: 'silent' });
  const layers = agent.layers();
  await agent.close();
  return hookNames.flatMap((hook) =>
    layers[hook].map(({ name, priority, gate, internal, on }) => [
      `\`${hook}\``,
      name,
      gate ? 'gate' : String(priority),
      internal ? "also plugins' own model calls" : on === undefined ? '' : notes[on],
    ]),
  );
}

const notes = {
  input: 'the input alone, before it is stored',
  result: 'results alone, before they are stored',
};

function schemaOf({ definition }: PluginFactory<object>): JsonObject {
  const { options } = definition;
  return (options && findJsonSchema(options)) ?? {};
}

/** Returns a row for each option, and for each option within it. */
function optionRows(schema: JsonObject, path: string): string[][] {
  const { properties, required } = schema;
  if (!isJsonObject(properties)) return [];
  const needed = isJsonList(required) ? required : [];
  return Object.entries(properties).flatMap(([name, option]) => {
    if (!isJsonObject(option)) return [];
    const here = `${path}${name}`;
    const fallback = needed.includes(name) ? 'required' : asDefault(option['default']);
    const { description } = option;
    const row = [`\`${here}\``, typeOf(option), fallback, typeof description === 'string' ? description : ''];
    return [row].concat(innerRows(option, here));
  });
}

function innerRows(option: JsonObject, path: string): string[][] {
  const { anyOf, items, additionalProperties } = option;
  return [
    ...optionRows(option, `${path}.`),
    ...(isJsonObject(items) ? innerRows(items, `${path}[]`) : []),
    ...(isJsonObject(additionalProperties) ? innerRows(additionalProperties, `${path}.*`) : []),
    ...(isJsonList(anyOf) ? anyOf.flatMap((kind) => (isJsonObject(kind) ? innerRows(kind, path) : [])) : []),
  ];
}

function typeOf({ type, enum: values, anyOf, items, additionalProperties }: JsonObject): string {
  if (isJsonList(values)) return values.map((value) => `\`${JSON.stringify(value)}\``).join(', ');
  if (isJsonList(anyOf)) return anyOf.map((kind) => (isJsonObject(kind) ? typeOf(kind) : '')).join(', or ');
  if (isJsonList(type)) return type.map(String).join(' or ');
  if (type === 'array' && isJsonObject(items)) return `list of ${typeOf(items)}`;
  if (type === 'object' && isJsonObject(additionalProperties))
    return `object of ${typeOf(additionalProperties)}`;
  return typeof type === 'string' ? type : 'any';
}

/** Formats a default. Long ones are texts for a model, which the plugin's README shows. */
function asDefault(value: JsonValue | undefined): string {
  if (value === undefined) return '';
  const text = JSON.stringify(value);
  return text.length > 60 ? 'built in' : `\`${text}\``;
}

function inWords(priority: PluginFactory['definition']['priority']): string {
  if (typeof priority !== 'object') return String(priority ?? 25);
  return Object.entries(priority)
    .map(([hook, value]) => (hook === 'default' ? String(value) : `${value} in \`${hook}\``))
    .join(', ');
}
