import { option, optionsSchema, type StandardSchemaWithJson } from '@shallot/core/plugin';

import { isTemplate } from './memory-prompt.ts';

/** Options of the plugin: the memory files, and how they are loaded, sent and edited. */
export interface MemoryOptions {
  /**
   * Memory files in the agent's files, from the most general to the most specific; `AGENTS.md` and `/AGENTS.md` are
   * the same file. Missing files are skipped. Default: `['/CLAUDE.md', '/AGENTS.md']`, of which the second can be edited.
   */
  readonly sources?: readonly string[];
  /**
   * `changed` reloads files that have changed when a session continues, `once` keeps the first version. Default:
   * `changed`.
   */
  readonly reload?: 'changed' | 'once';
  /** Bytes of memory to send with a model call, at most. Default: 32,768. */
  readonly maxBytes?: number;
  /** Adds a tool with which the model edits the sources. Default: false. */
  readonly writable?: boolean;
  /** Name of that tool. Default: `edit_memory`. */
  readonly toolName?: string;
  /**
   * Text to add to the instructions: `{memory}` is replaced by the files, `{guidelines}` by the advice on using them.
   * Default: a text with both.
   */
  readonly template?: string;
}

/** The options with defaults. */
export interface Settings {
  readonly sources: readonly string[];
  readonly reload: 'changed' | 'once';
  readonly maxBytes: number;
  readonly writable: boolean;
  readonly toolName: string;
  readonly template?: string | undefined;
}

/** Conventional files with instructions for agents. */
const usualSources = ['/CLAUDE.md', '/AGENTS.md'] as const;

/** Returns true for the usual sources: places to look at, which need not contain anything. */
export function areUsual(sources: readonly string[]): boolean {
  return sources.join('\n') === usualSources.join('\n');
}

/**
 * Returns the sources that may be edited. Of the usual sources this is only the last one, so that edits do not create
 * a second file.
 */
export function editableSources(sources: readonly string[]): readonly string[] {
  return areUsual(sources) ? usualSources.slice(-1) : sources;
}

/** The schema of the options, which is also available as JSON Schema for config files. */
export const memoryOptions: StandardSchemaWithJson<MemoryOptions, Settings> = optionsSchema({
  sources: option
    .list(option.text('the path of a file'), { min: 1 })
    .default(usualSources)
    .describe(
      'The memory files, from the most general to the most specific. Those that do not exist are skipped.',
    )
    .map((sources, report) => {
      const paths = sources.map((source) => toPath(source, report));
      const twice = paths.find((path, index) => paths.indexOf(path) !== index);
      if (twice !== undefined) report(`it lists ${JSON.stringify(twice)} twice; remove one`);
      return paths;
    }),
  reload: option
    .oneOf('changed', 'once')
    .default('changed')
    .describe('Reloads changed files at each run, or keeps the content that the session started with.'),
  maxBytes: option
    .integer({ min: 256, max: 1024 * 1024 })
    .default(32 * 1024)
    .describe('The maximum number of bytes sent with a model call. The most specific file comes first.'),
  writable: option.boolean().default(false).describe('Gives the model a tool that edits the sources.'),
  toolName: option.toolName().default('edit_memory').describe('The name of the tool that edits.'),
  template: option
    .text('text')
    .describe(
      'The text added to the instructions. {memory} stands for the files, {guidelines} for the guidelines.',
    )
    .map((template, report) => {
      if (!isTemplate(template)) report('it does not contain {memory}; put it where the files should go');
      return template;
    }),
});

type Report = (message: string) => void;

/**
 * Returns the absolute path of a source, from the root of the agent's files. Reports one that is outside of it, or no file.
 */
function toPath(source: string, report: Report): string {
  const names = source.split('/').filter((name) => name !== '' && name !== '.');
  const wrong =
    source.startsWith('~/') || names.includes('..')
      ? "is outside the agent's files; mount other files with mountFiles"
      : source.endsWith('/') || names.length === 0
        ? 'is not a file; write the path of a file, such as "AGENTS.md"'
        : undefined;
  if (wrong !== undefined) report(`${JSON.stringify(source)} ${wrong}`);
  return `/${names.join('/')}`;
}
