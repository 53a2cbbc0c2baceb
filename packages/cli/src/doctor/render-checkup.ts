import { count } from '../terminal/count.ts';
import { shortPath } from '../terminal/place.ts';
import type { Screen } from '../terminal/screen.ts';
import type { Finding } from './finding.ts';

/** What `shallot doctor` shows, and what `--json` prints. */
export interface Checkup {
  /** The absolute path of the config; null if none was found. */
  readonly config: string | null;
  readonly node: string;
  readonly plugins: readonly {
    readonly name: string;
    readonly stage: string;
    readonly package?: string | undefined;
    readonly version?: string | undefined;
    /** How long the import, `setup` and start have taken. */
    readonly startMs?: number | undefined;
  }[];
  /** What can cause others first. */
  readonly findings: readonly Finding[];
}

/** The checkup as text: what was looked at, then each finding with its fix. */
export function renderCheckup({ config, node, plugins, findings }: Checkup, screen: Screen): string {
  const { io, paint } = screen;
  const { bold, dim, red, yellow, green } = paint;
  const shown = (text: string): string => screen.redactor.text(text);
  const states = plugins.map(({ name, version = '', stage, startMs }) =>
    [
      `  ${`${name} ${version}`.trim()}`,
      stage === 'ready' ? '' : red(`failed at ${stage}`),
      startMs === undefined ? '' : dim(`${startMs} ms`),
    ]
      .filter((part) => part !== '')
      .join('  '),
  );
  const lines = findings.map(({ level, code, plugin, place, reason, fix }) => {
    const kind = level === 'error' ? red('error') : yellow('warning');
    const who = plugin === undefined ? '' : ` [${plugin}]`;
    const where = place === undefined ? '' : ` ${shortPath(place, io.cwd)}`;
    return shown(`${kind} ${bold(code)}${who}${where}: ${reason}\n  fix: ${fix}`);
  });
  const countOf = (level: Finding['level']): string =>
    count(findings.filter((each) => each.level === level).length, level);
  const end =
    findings.length === 0 ? green('Nothing is wrong.') : `${countOf('error')}, ${countOf('warning')}`;
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
