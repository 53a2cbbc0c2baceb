import { defineCommand, type CommandDefinition } from './define-command.ts';
import { sharedFlags } from './shared-flags.ts';

const { config, json } = sharedFlags;

/** The commands about stored sessions. */
export const sessionCommands: readonly CommandDefinition[] = [
  defineCommand({
    name: 'sessions',
    about: 'Lists the sessions, most recently changed first.',
    args: [],
    flags: [
      ...config,
      ['-n, --limit <number>', 'the maximum number to list', { default: '20' }],
      [
        '--status <status>',
        'only sessions whose last run is running, interrupted, completed, aborted, failed or parked',
      ],
      json,
    ],

    load: async () => (await import('./commands/sessions-command.ts')).sessionsCommand,
  }),
  defineCommand({
    name: 'sessions show',
    about: 'Prints a session as Markdown: its messages, tool calls and results.',
    args: [['<session>', "the session's id, or a prefix of it"]],
    flags: [...config, json],

    load: async () => (await import('./commands/show-session-command.ts')).showSessionCommand,
  }),
  defineCommand({
    name: 'sessions search',
    about: 'Lists the sessions whose id, title or messages contain a string, regardless of case.',
    args: [['<text>', 'the string']],
    flags: [...config, ['-n, --limit <number>', 'the maximum number to list', { default: '20' }], json],

    load: async () => (await import('./commands/search-sessions-command.ts')).searchSessionsCommand,
  }),
  defineCommand({
    name: 'sessions delete',
    about: 'Deletes a session and everything stored with it.',
    args: [['<session>', "the session's id, or the beginning of a generated one"]],
    flags: [...config, ['--keep-files', 'keep the files that plugins wrote for it, and name them']],

    load: async () => (await import('./commands/sessions-command.ts')).deleteSessionCommand,
  }),
  defineCommand({
    name: 'sessions prune',
    about: 'Deletes sessions that have not changed for a given time.',
    args: [],
    flags: [
      ...config,
      [
        '--older-than <time>',
        'the time without changes: 90m, 12h, 30d or 2w, for example',
        { required: true },
      ],
      ['--waiting', 'include sessions with open questions'],
      ['--keep-files', 'keep the files that plugins wrote for them, and name them'],
      ['--dry-run', 'list these sessions, and delete nothing'],
    ],

    load: async () => (await import('./commands/prune-command.ts')).pruneSessionsCommand,
  }),
  defineCommand({
    name: 'sessions backup',
    about: 'Copies all sessions to a new file; other processes can keep writing.',
    args: [['<file>', 'a file that does not exist yet']],
    flags: config,

    load: async () => (await import('./commands/sessions-command.ts')).backupSessionsCommand,
  }),
];
