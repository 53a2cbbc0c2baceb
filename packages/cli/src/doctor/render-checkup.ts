import { count } from '../terminal/count.ts';
import { shortPath, shortPaths } from '../terminal/place.ts';
import type { Screen } from '../terminal/screen.ts';
import type { Finding } from './finding.ts';

/** The data shown by `shallot doctor`, and printed by `--json`. */
export interface Checkup {
  /** The absolute path of the config; null if none was found. */
  readonly config: string | null;
  readonly node: string;
  readonly plugins: readonly {
    readonly name: string;
    readonly stage: string;
    readonly package?: string | undefined;
    readonly version?: string | undefined;
    /** The time of import, `setup` and start, in milliseconds. */
    readonly startMs?: number | undefined;
  }[];
  /** The findings: errors first, and within a level root causes first. */
  readonly findings: readonly Finding[];
}

/** Renders the checkup: what was examined, then each finding with its fix. */
export function renderCheckup({ config, node, plugins, findings }: Checkup, screen: Screen): string {
  const { io, paint } = screen;
  const { dim, red, green } = paint;
  const states = plugins.map(({ name, version = '', stage, startMs }) =>
    [
      `  ${`${name} ${version}`.trim()}`,
      stage === 'ready' ? '' : red(`failed at ${stage}`),
      startMs === undefined ? '' : dim(`${startMs} ms`),
    ]
      .filter((part) => part !== '')
      .join('  '),
  );
  const lines = findings.map((finding) => renderFinding(finding, screen));
  const countOf = (level: Finding['level']): string =>
    count(findings.filter((each) => each.level === level).length, level);
  const end = findings.every(({ level }) => level === 'note')
    ? green('Nothing is wrong.')
    : `${countOf('error')}, ${countOf('warning')}`;
  return [
    `config   ${config === null ? dim('none') : shortPath(config, io.cwd)}`,
    `node     ${node}`,
    `plugins  ${plugins.length === 0 ? dim('none') : ''}`.trimEnd(),
    ...states,
    '',
    ...lines,
    ...(lines.length > 0 ? [''] : []),
    end,
  ].join('\n');
}

/** Renders a finding: its reason, and below it the fix. */
export function renderFinding(
  { level, code, plugin, place, reason, fix }: Finding,
  { io, paint, redactor }: Screen,
): string {
  const { bold, dim, red, yellow } = paint;
  const kinds = { error: red('error'), warning: yellow('warning'), note: dim('note') };
  const who = plugin === undefined ? '' : ` [${plugin}]`;
  const where = place === undefined ? '' : ` ${shortPath(place, io.cwd)}`;
  const advice = fix === undefined ? '' : `\n  fix: ${fix}`;
  return redactor.text(`${kinds[level]} ${bold(code)}${who}${where}: ${shortPaths(reason, io.cwd)}${advice}`);
}
