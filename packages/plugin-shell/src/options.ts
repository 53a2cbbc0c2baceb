import { existsSync } from 'node:fs';

import { option, optionsSchema, type ShapeOutput, type StandardSchemaWithJson } from '@shallot/core/plugin';

/** Options of the plugin. */
export interface ShellOptions {
  /** Name of the tool. Default: `shell`. */
  readonly toolName?: string;
  /** The directory in which commands start. Default: that of the run's files. */
  readonly root?: string;
  /**
   * Commands that need no approval, for approval plugins whose options name this plugin. `reading`, `git-reading` and
   * `testing` are lists of them. Default: none.
   */
  readonly allow?: readonly string[];
  /** Commands that are refused. Default: none. */
  readonly deny?: readonly string[];
  /** Executes commands although no approval plugin asks about them. Default: false. */
  readonly unattended?: boolean;
  /** The shell that reads the line, as an absolute path. Default: `/bin/sh`. */
  readonly program?: string;
  /**
   * True for bubblewrap, with the root writable; or a program that is put in front of the shell, with its arguments.
   * Default: false.
   */
  readonly sandbox?: boolean | { readonly command: readonly string[] };
  /** Lets commands in the sandbox use the network; for `sandbox: true`. Default: false. */
  readonly network?: boolean;
  /** `trusted` lets the rule `testing` allow commands that execute the files of the project without a sandbox, too. */
  readonly testing?: 'trusted';
  /**
   * Names of the variables that commands see; a `*` matches any characters. Default: `PATH`, `HOME` and others that
   * most programs need.
   */
  readonly env?: readonly string[];
  /** Variables that are set for commands. Default: none. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Time limit for a command, unless the model sets one, in milliseconds. Default: 120,000. */
  readonly timeoutMs?: number;
  /** The longest time limit that the model may set, in milliseconds. Default: 600,000. */
  readonly maxTimeoutMs?: number;
  /** The time between TERM and KILL for a command that is ended, in milliseconds. Default: 2,000. */
  readonly killAfterMs?: number;
  /**
   * The most bytes of output that are kept: half from its head, half from its tail. The model gets a head and a tail, and
   * the path of the rest. Default: 8,000,000.
   */
  readonly maxOutputBytes?: number;
}

/** Variables that most programs need, none of which holds a secret. */
const defaultEnv = ['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LC_*', 'TZ', 'TMPDIR'] as const;

const ruleText = /^\s*[^\s"'\\;|&<>$`()]+(?:\s+[^\s"'\\;|&<>$`()]+)*\s*$/;

/** Returns true if a string can be a rule about commands. */
export function isRuleText(text: string): boolean {
  return ruleText.test(text);
}

const rule = option.text(
  'a program and its arguments without quotes or operators of a shell, such as "git status*"',
  ruleText,
);

const shape = {
  toolName: option.toolName().default('shell').describe('Name of the tool.'),
  root: option.text().describe("The directory in which commands start. Default: that of the run's files."),
  allow: option
    .list(rule)
    .default([])
    .describe(
      'Commands that need no approval, for approval plugins whose options name this plugin. `reading`, `git-reading` and `testing` are lists of them.',
    ),
  deny: option.list(rule).default([]).describe('Commands that are refused.'),
  unattended: option
    .boolean()
    .default(false)
    .describe('Executes commands although no approval plugin asks about them.'),
  program: option
    .text('an absolute path', /^\//)
    .map((path, report) => {
      if (isShellMissing(path))
        report(`it is "${path}", which does not exist; write the path of a shell, such as /bin/sh`);
      return path;
    })
    .default('/bin/sh')
    .describe('The shell that reads the line.'),
  sandbox: option
    .either(
      option.boolean(),
      option.object({
        command: option.list(option.text(), { min: 1 }).required().describe('The program and its arguments.'),
      }),
    )
    .default(false)
    .describe('True for bubblewrap, with the root writable; or a program that is put in front of the shell.'),
  network: option
    .boolean()
    .default(false)
    .describe('Lets commands in the sandbox use the network; for `sandbox: true`.'),
  testing: option
    .oneOf('trusted')
    .describe('Lets the rule `testing` execute the files of the project also without a sandbox.'),
  env: option
    .list(option.text('the name of a variable, in which * stands for any characters', /^[\w*]+$/))
    .default(defaultEnv)
    .describe('Names of the variables that commands see.'),
  variables: option
    .record(option.text().secret())
    .default({})
    .describe('Variables that are set for commands.'),
  timeoutMs: option
    .integer({ min: 1, max: 86_400_000 })
    .default(120_000)
    .describe('Time limit for a command, unless the model sets one, in milliseconds.'),
  maxTimeoutMs: option
    .integer({ min: 1, max: 86_400_000 })
    .default(600_000)
    .describe('The longest time limit that the model may set, in milliseconds.'),
  killAfterMs: option
    .integer({ min: 0, max: 60_000 })
    .default(2000)
    .describe('How long a command that is ended has between TERM and KILL, in milliseconds.'),
  maxOutputBytes: option
    .integer({ min: 100, max: 8_000_000 })
    .default(8_000_000)
    .describe('The most bytes of output that are kept: half from its head, half from its tail.'),
};

/** The options with defaults. */
export type Settings = ShapeOutput<typeof shape>;

/** The schema of the options, which is also available as JSON Schema for config files. */
export const shellOptions: StandardSchemaWithJson<ShellOptions, Settings> = optionsSchema(shape);

/**
 * Returns true if a shell does not exist. On Windows, which has none of these shells, the plugin itself reports that.
 */
export function isShellMissing(path: string, platform: NodeJS.Platform = process.platform): boolean {
  return platform !== 'win32' && !existsSync(path);
}
