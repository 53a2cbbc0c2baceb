import type { ConfigPath, LoadedConfig, ValueOrigin } from '@shallot/core/config';
import type { HookName } from '@shallot/core/plugin';

import { formatPlace, shortPath } from '../terminal/place.ts';
import type { Screen } from '../terminal/screen.ts';
import type { OpenedAgent } from '../work/with-agent.ts';
import { describeOrigin } from './describe-origin.ts';
import { describeReason } from './describe-reason.ts';
import { describeOnion, type Layer } from './onion.ts';

/** What `shallot inspect <plugin>` shows, and what `--json` prints. */
export interface PluginPage {
  readonly id: string;
  readonly name: string;
  readonly version?: string | undefined;
  readonly from: string;
  readonly at?: string | undefined;
  /** Each option after defaults, by its path, with its origin. */
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

/** Reads off an agent what one plugin is and does; undefined if there is none of this id. */
export function describePlugin(opened: OpenedAgent, id: string, screen: Screen): PluginPage | undefined {
  const { agent, config } = opened;
  const plugin = agent.plugins.find((each) => each.id === id);
  const details = agent.details(id);
  if (plugin === undefined || details === undefined) return undefined;
  const { hooks } = describeOnion(opened);
  const taps = Object.entries(hooks).flatMap(([hook, layers]) =>
    // The keys are those of the hooks.
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

/** Where an option was written; of a plugin from code, or of what nobody wrote, that it is the default. */
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

/** The page as text. */
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

/** Lines of cells, each column as wide as its widest cell. */
export function table(lines: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const cells of lines) {
    for (const [column, cell] of cells.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
  }
  return lines
    .map((cells) => `  ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd())
    .join('\n');
}
