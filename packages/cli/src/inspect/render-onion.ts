import { hookNames, visible, type HookName } from '@shallot/core/plugin';

import { shortPath } from '../terminal/place.ts';
import type { Screen } from '../terminal/screen.ts';
import { describeReason } from './describe-reason.ts';
import type { Layer, Onion } from './onion.ts';

const directions: Readonly<Record<HookName, string>> = {
  beforeAgent: 'once per run, outside in',
  beforeModel: 'each step, outside in',
  wrapModelCall: 'around the model: outside in, then back out',
  afterModel: 'each step, inside out',
  wrapToolCall: 'around each tool call: outside in, then back out',
  afterAgent: 'once per run, inside out',
};

/** Renders the onion: the parts of the agent, then a table per hook in the order of execution. */
export function renderOnion(onion: Onion, { io: { cwd }, paint: { bold, dim, cyan } }: Screen): string {
  const { agent, config, envFile, model, instructions, tools, plugins, hooks } = onion;
  const list = (items: readonly string[]): string => (items.length === 0 ? dim('none') : items.join(', '));
  const facts: readonly (readonly [label: string, value: string])[] = [
    ...(envFile === undefined ? [] : [['env', shortPath(envFile, cwd)] as const]),
    ['model', model],
    ...instructions.map(({ file, at }) => {
      const source = file === undefined ? 'written in the config' : shortPath(file, cwd);
      return ['instructions', `${source} ${dim(`(${shortPath(at, cwd)})`)}`] as const;
    }),
    ['tools', list(tools)],
    ['plugins', list(plugins.map(({ id, version }) => named(id, version)))],
    ...plugins.flatMap(({ id, status = [] }) =>
      status.map((line) => [visible(`${id}:`), visible(line)] as const),
    ),
  ];
  const labelWidth = Math.max(...facts.map(([label]) => label.length));
  const head = [
    `${bold(agent)}  ${dim(shortPath(config, cwd))}`,
    ...facts.map(([label, value]) => `${label.padEnd(labelWidth)}  ${value}`),
  ];
  const rows = Object.values(hooks).flatMap((layers) => layers.map((layer) => cells(layer, cwd)));
  const widths = [0, 1, 2, 3].map((column) => Math.max(0, ...rows.map((row) => row[column]?.length ?? 0)));
  const row = (layer: Layer, index: number): string => {
    const [name = '', priority = '', tap = '', reason = '', from = ''] = cells(layer, cwd);
    const [nameWidth = 0, priorityWidth = 0, tapWidth = 0, reasonWidth = 0] = widths;
    const columns = [
      name.padEnd(nameWidth),
      cyan(priority.padStart(priorityWidth)),
      tap.padEnd(tapWidth),
      reason.padEnd(reasonWidth),
      dim(from),
    ];
    return `  ${String(index + 1).padStart(2)}  ${columns.join('  ')}`.trimEnd();
  };
  const tables = hookNames.map((hook) => {
    const layers = hooks[hook];
    if (layers.length === 0) return `${bold(hook)}  ${dim('no layers')}`;
    return `\n${bold(hook)}  ${dim(directions[hook])}\n${layers.map(row).join('\n')}\n`;
  });
  const text = `${head.join('\n')}\n\n${tables.join('\n')}`;
  return text.replace(/\n{3,}/g, '\n\n').trimEnd();
}

function named(plugin: string, version = ''): string {
  return `${plugin} ${version}`.trimEnd();
}

function cells({ plugin, version, tap, priority, gate, on, reason, from, at }: Layer, cwd: string): string[] {
  const place = at === undefined ? '' : ` (${shortPath(at, cwd)})`;
  return [
    named(plugin, version),
    [priority, gate ? 'gate' : on].filter((part) => part !== undefined).join(' '),
    tap,
    describeReason(reason),
    `${shortPath(from, cwd)}${place}`,
  ];
}
