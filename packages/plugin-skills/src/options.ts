import { option, optionsSchema, type StandardSchemaWithJson } from '@shallot/core/plugin';

import { usualSources } from './finding/usual-sources.ts';
import { defaultDepth } from './finding/walk-source.ts';

/** Options of the plugin: the sources of skills, the tool that reads them, and their size limits. */
export interface SkillsOptions {
  /**
   * Directories in the agent's files: each is one skill, or contains a directory for each skill. If two skills share a
   * name, the one from the later source counts. Default: `['/.claude/skills', '/.agents/skills', '/skills']`, of which each
   * may be missing.
   */
  readonly sources?: readonly string[];
  /** Levels below a source to search for skills. Default: 6. */
  readonly depth?: number;
  /**
   * `changed` searches at each run, `once` searches once for the agent's files. With more than 100 skills, changes
   * appear one run later. Default: `changed`.
   */
  readonly reload?: 'changed' | 'once';
  /** Name of the tool that reads skills. Default: `skill`. */
  readonly toolName?: string;
  /** Names in this agent for tools in `allowed-tools`: `{ Bash: 'bash' }`. Default: the names as written. */
  readonly toolNames?: Readonly<Record<string, string>>;
  /**
   * Characters of the list of skills, including the names in the tool's schema; skills that do not fit are left out.
   * Default: 5 % of the model's context; 16,000 if it is unknown.
   */
  readonly maxListChars?: number;
  /** Characters of a file that one tool call returns, at most. Default: 65,536. */
  readonly maxReadChars?: number;
  /**
   * Tokens of skill text to restore once it has left the messages; at most a quarter of the model's context. Default:
   * 20,000.
   */
  readonly maxKeptTokens?: number;
}

/** The options with defaults, and with sources as absolute paths. */
export interface SkillsSettings
  extends Required<Omit<SkillsOptions, 'maxListChars'>>, Pick<SkillsOptions, 'maxListChars'> {}

/** The schema of the options, which is also available as JSON Schema for config files. */
export const skillsOptions: StandardSchemaWithJson<SkillsOptions, SkillsSettings> = optionsSchema({
  sources: option
    .list(option.text('a directory below the root, such as "/skills"', /^(?!(?:.*\/)?\.\.(?:\/|$)).*\S/), {
      min: 1,
    })
    .default(usualSources)
    .describe('Directories of one skill, or with one subdirectory per skill; later ones win.')
    .map((sources) => sources.map(absolute)),
  depth: option
    .integer({ min: 1, max: 20 })
    .default(defaultDepth)
    .describe('How many levels below a source skills may be.'),
  reload: option
    .oneOf('changed', 'once')
    .default('changed')
    .describe('When to look for skills: at each run, or only once.'),
  toolName: option.toolName().default('skill').describe('The name of the tool that reads skills.'),
  toolNames: option
    .record(option.text('the name of a tool'))
    .default({})
    .describe('Maps the tool names in allowed-tools to names of this agent.'),
  maxListChars: option
    .integer({ min: 1000 })
    .describe("The maximum length of the list of skills. Default: 5 % of the model's context."),
  maxReadChars: option
    .integer({ min: 1000 })
    .default(65_536)
    .describe('The maximum that the tool returns of a file at once.'),
  maxKeptTokens: option
    .integer({ min: 0 })
    .default(20_000)
    .describe('How much text of skills is put back after it was removed from the messages, in tokens.'),
});

/** Returns the absolute path of a source: `/skills` for `skills`, `./skills` and `/skills/`. */
function absolute(source: string): string {
  const names = source.split('/').filter((name) => name !== '' && name !== '.');
  return `/${names.join('/')}`;
}
