import type { ConfigPath, ValueOrigin } from '@shallot/core/command';
import type { LoadedConfig } from '@shallot/core/config';
import type { HookName } from '@shallot/core/plugin';

import { formatPlace, shortPath } from '../terminal/place.ts';
import type { Screen } from '../terminal/screen.ts';
import type { OpenedAgent } from '../work/with-agent.ts';
import { describeOrigin } from './describe-origin.ts';
import { describeReason } from './describe-reason.ts';
import { describeOnion, type Layer } from './onion.ts';

/** The data shown by `shallot inspect <plugin>`, and printed by `--json`. */
export interface PluginPage {
  readonly id: string;
  readonly name: string;
  readonly version?: string | undefined;
  readonly from: string;
  readonly at?: string | undefined;
  /** Each option with defaults, by path, with its origin. */
  readonly options: readonly {
    readonly path: ConfigPath;
    readonly value: unknown;
    readonly origin: ValueOrigin;
  }[];
  readonly taps: readonly { readonly hook: HookName; readonly layer: Layer }[];
  readonly tools: readonly string[];
  readonly state: readonly { readonly key: string; readonly scope: 'session' | 'run' }[];
  readonly services: readonly string[];
}

/** Describes a plugin of an agent; undefined if there is none with this id. */
export function describePlugin(opened: OpenedAgent, id: string, screen: Screen): PluginPage | undefined {
  const { agent, config } = opened;
  const plugin = agent.plugins.find((each) => each.id === id);
  const details = agent.details(id);
  if (plugin === undefined || details === undefined) return undefined;
  const { hooks } = describeOnion(opened);
  const taps = Object.entries(hooks).flatMap(([hook, layers]) =>
    // The keys are hook names.
    layers.filter((layer) => layer.plugin === id).map((layer) => ({ hook: hook as HookName, layer })),
  );
  const { name, version, source } = plugin;
  const place = source.at && formatPlace(source.at);
  const options = screen.redactor.value(details.options);
  return {
    id,
    name,
    version,
    from: source.from,
    at: place,
    options: leaves(options, []).map(({ path, value }) => ({
      path,
      value,
      origin: originOf(config, place, path),
    })),
    taps,
    tools: details.tools,
    state: details.state,
    services: details.services,
  };
}

/** Returns the origin of an option; the default for plugins from code and options that are not set. */
function originOf(config: LoadedConfig, place: string | undefined, path: ConfigPath): ValueOrigin {
  const index = config.merged.plugins.findIndex(({ locate }) => formatPlace(locate(['use'])) === place);
  return index === -1 ? { from: 'default' } : config.origin(['plugins', index, 'options', ...path]);
}

interface Leaf {
  readonly path: ConfigPath;
  readonly value: unknown;
}

function leaves(value: unknown, path: ConfigPath): Leaf[] {
  const isPlain = typeof value === 'object' && value !== null;
  const members = isPlain ? Object.entries(value) : [];
  if (members.length === 0) return path.length === 0 ? [] : [{ path, value }];
  return members.flatMap(([key, member]: [string, unknown]) =>
    leaves(member, [...path, Array.isArray(value) ? Number(key) : key]),
  );
}

/** Returns the page as `shallot inspect` prints it without `--json`. */
export function renderPlugin(page: PluginPage, { io: { cwd }, paint: { bold, dim } }: Screen): string {
  const { id, version, from, at, options, taps, tools, state, services } = page;
  const place = at === undefined ? '' : ` (${shortPath(at, cwd)})`;
  const rows = (title: string, lines: readonly (readonly string[])[]): string =>
    lines.length === 0 ? `${bold(title)}  ${dim('none')}` : `${bold(title)}\n${table(lines)}`;
  return [
    `${bold(id)}${version === undefined ? '' : ` ${version}`}  ${dim(`${shortPath(from, cwd)}${place}`)}`,
    rows(
      'options',
      options.map(({ path, value, origin }) => [
        path.join('.'),
        JSON.stringify(value) ?? String(value),
        describeOrigin(origin, cwd),
      ]),
    ),
    rows(
      'taps',
      taps.map(({ hook, layer: { tap, priority, gate, reason } }) => [
        hook,
        tap,
        `${priority}${gate ? ' gate' : ''}`,
        describeReason(reason),
      ]),
    ),
    rows(
      'tools',
      tools.map((tool) => [tool]),
    ),
    rows(
      'state',
      state.map(({ key, scope }) => [key, scope]),
    ),
    rows(
      'services',
      services.map((service) => [service]),
    ),
  ].join('\n');
}

/** Formats lines of cells, with columns as wide as their widest cell. */
export function table(lines: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const cells of lines) {
    for (const [column, cell] of cells.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
  }
  return lines
    .map((cells) => `  ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd())
    .join('\n');
}
