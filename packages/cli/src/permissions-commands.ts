import { defineCommand, type CommandDefinition } from './define-command.ts';
import { sharedFlags } from './shared-flags.ts';

const { config, debug, json } = sharedFlags;

/** The commands about the rules of the permissions. */
export const permissionsCommands: readonly CommandDefinition[] = [
  defineCommand({
    name: 'permissions list',
    about: 'Prints the rules of the permissions, in the order in which they are evaluated.',
    args: [],
    flags: [...config, json],

    load: async () => (await import('./commands/permissions-command.ts')).listPermissionsCommand,
  }),
  defineCommand({
    name: 'permissions remove',
    about: 'Removes a rule that an answer has kept for the project.',
    args: [['<rule>', 'the rule, as permissions list prints it']],
    flags: config,

    load: async () => (await import('./commands/permissions-command.ts')).removePermissionCommand,
  }),
  defineCommand({
    name: 'permissions import',
    about: 'Prints the rules of .claude/settings.json as permissions of a config, and those left out.',
    args: [['[file]', 'the settings; default: .claude/settings.json below the working directory']],
    flags: [debug],

    load: async () => (await import('./commands/permissions-command.ts')).importPermissionsCommand,
  }),
  defineCommand({
    name: 'permissions test',
    about: 'Prints whether a call would be executed, asked about or refused, and which rule decides.',
    args: [
      ['<call>', 'a command line, or with an argument the name of a tool'],
      ['[argument]', "the tool's arguments as JSON, or the value of the first: src/main.ts"],
    ],
    flags: [...config, ['--mode <mode>', 'evaluate it in this mode: read-only, ask or edits'], json],

    load: async () => (await import('./commands/permissions-command.ts')).testPermissionsCommand,
  }),
];
