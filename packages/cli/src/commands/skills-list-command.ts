import { dirname } from 'node:path';

import { loadPluginOptions } from '@shallot/core/command';
import type { Files } from '@shallot/core/files';
import { visible } from '@shallot/core/plugin';
import type * as Skills from '@shallot/plugin-skills';
import type { SkillNotice, SkillSet, SkillsSettings } from '@shallot/plugin-skills';

import { configLoading, type AgentCommandOptions } from '../asking/config-loading.ts';
import { toJson } from '../rendering/render-json.ts';
import { CommandFailure } from '../terminal/command-failure.ts';
import { exitStatus } from '../terminal/exit-status.ts';
import { oneLine } from '../terminal/printable.ts';
import type { Screen } from '../terminal/screen.ts';
import { importPlugin } from '../work/import-plugin.ts';
import { openSkillDirectory } from '../work/skill-directory.ts';

export interface SkillsListOptions extends AgentCommandOptions {
  readonly json?: boolean;
}

/** The sources to search, and their files. */
interface Place {
  readonly files: Files;
  readonly sources: readonly string[];
  /** The number of levels below a source to search. Default: the plugin's. */
  readonly depth?: number;
  readonly show: (path: string) => string;
}

/** `shallot skills list`: lists the skills of the configured agent, or those in directories. */
export async function skillsListCommand(
  directories: readonly string[],
  options: SkillsListOptions,
  screen: Screen,
): Promise<void> {
  const { directory, places } =
    directories.length > 0
      ? { directory: screen.io.cwd, places: () => named(directories, screen) }
      : await configured(options, screen);
  const plugin = await importPlugin<typeof Skills, keyof SkillsPlugin>({
    entry: '@shallot/plugin-skills',
    functions: ['default', 'loadSkills'],
    command: 'shallot skills list',
    directory,
  });
  const sets: { readonly set: SkillSet; readonly show: Place['show'] }[] = [];
  for (const { files, sources, show, ...found } of await places(plugin)) {
    sets.push({ set: await plugin.loadSkills(files, sources, found), show });
  }
  if (options.json) {
    await screen.line(toJson(toPlain(sets.map(({ set, show }) => withShownPaths(set, show))), { indent: 2 }));
    return;
  }
  const lines = sets.flatMap(({ set, show }) => renderSkills(withShownPaths(set, show), screen));
  if (lines.length > 0) await screen.line(lines.join('\n'));
  if (sets.every(({ set }) => set.skills.size === 0)) screen.note('There are no skills.');
}

type SkillsPlugin = Pick<typeof Skills, 'default' | 'loadSkills'>;

/** Returns a place per directory, because their precedence is unknown. */
function named(directories: readonly string[], screen: Screen): Promise<Place[]> {
  return Promise.all(
    directories.map(async (typed) => {
      const { files, path, show } = await openSkillDirectory(typed, screen.io.cwd);
      return { files, sources: [path], show };
    }),
  );
}

/** The directory of the config, and a function that finds its skill sources. */
interface Configured {
  readonly directory: string;
  readonly places: (plugin: SkillsPlugin) => Promise<Place[]>;
}

async function configured(options: SkillsListOptions, screen: Screen): Promise<Configured> {
  const loading = loadPluginOptions('skills', configLoading(options, screen));
  const { entries, files, path } = await loading.catch((cause: unknown) => {
    throw new CommandFailure(exitStatus.usage, { cause });
  });
  if (entries.length === 0) {
    throw new CommandFailure(
      exitStatus.usage,
      `${visible(path)} has no plugin "skills". Name directories instead: shallot skills list <directory>`,
    );
  }
  const placeOf =
    (plugin: SkillsPlugin) =>
    async (entry: { readonly id: string; readonly options: unknown }): Promise<Place> => {
      const { sources, depth } = await readOptions(plugin, entry);
      return { files, sources, depth, show: visible };
    };
  return {
    directory: dirname(path),
    places: (plugin) => Promise.all(entries.map(placeOf(plugin))),
  };
}

async function readOptions(
  { default: skills }: SkillsPlugin,
  { id, options }: { readonly id: string; readonly options: unknown },
): Promise<SkillsSettings> {
  const result = await skills.definition.options?.['~standard'].validate(options ?? {});
  const issues = result?.issues ?? [];
  if (issues.length > 0) {
    const what = issues.map(({ message, path = [] }) => [...path.map(String), message].join(': ')).join('; ');
    throw new CommandFailure(exitStatus.usage, `The options of ${id} are not valid: ${visible(what)}`);
  }
  // The plugin's schema returns this type.
  return (result as { readonly value: SkillsSettings }).value;
}

interface ShownSkills {
  readonly skills: readonly {
    readonly name: string;
    readonly description: string;
    readonly path: string;
    readonly userOnly: boolean;
  }[];
  readonly notices: readonly SkillNotice[];
}

function withShownPaths({ skills: found, userOnly, notices }: SkillSet, show: Place['show']): ShownSkills {
  return {
    skills: [...found.values(), ...userOnly.values()].map(({ name, description, path }) => ({
      name,
      description,
      path: show(path),
      userOnly: userOnly.has(name),
    })),
    notices: notices.map((notice) =>
      notice.kind === 'shadowed'
        ? { kind: notice.kind, path: show(notice.path), name: notice.name, by: show(notice.by) }
        : { kind: notice.kind, path: show(notice.path), reason: notice.reason },
    ),
  };
}

function toPlain(all: readonly ShownSkills[]): ShownSkills {
  return { skills: all.flatMap(({ skills: each }) => each), notices: all.flatMap(({ notices }) => notices) };
}

function renderSkills({ skills: found, notices }: ShownSkills, { paint }: Screen): string[] {
  const width = Math.min(32, Math.max(0, ...found.map(({ name }) => visible(name).length)));
  return [
    ...found.map(({ name, description, path, userOnly }) => {
      const title = paint.bold(visible(name).padEnd(width));
      const only = userOnly ? `  only people call it: /${visible(name)}` : '';
      return `${title}  ${paint.dim(path)}${only}\n  ${oneLine(visible(description))}`;
    }),
    ...notices.map((notice) => {
      const said =
        notice.kind === 'shadowed'
          ? `another "${visible(notice.name)}" wins: ${notice.by}`
          : visible(notice.reason);
      return `${paint.yellow(notice.kind)}  ${notice.path}: ${said}`;
    }),
  ];
}
