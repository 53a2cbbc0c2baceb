import { defineCommand, type CommandDefinition } from './define-command.ts';
import { projectCommands } from './project-commands.ts';
import { sharedFlags } from './shared-flags.ts';
import { exitStatusHelp } from './terminal/exit-status.ts';

const { conducted, config, debug, json, question, session, traced } = sharedFlags;

/** The descriptions of command groups. */
export const commandGroups: Readonly<Record<string, string>> = {
  skills: 'Lists and checks skills: directories with a SKILL.md.',
  mcp: 'Logs in to MCP servers.',
  store: 'Prepares and copies stores of sessions.',
};

/** All commands, in the order of the help. */
export const commandList: readonly CommandDefinition[] = [
  defineCommand({
    name: 'run',
    about: 'Asks the agent a question. Prints the answer to stdout and progress to stderr.',
    args: [['[question]', 'the question; without one, or with -, it is read from stdin']],
    flags: [
      ...conducted,
      session,
      ['--abandon', "abandon the session's unfinished or waiting run"],
      ['--detach', 'submit the run for a worker, and print the session; no model is called'],
      ['--metadata <json>', 'with --detach: an object, for the context of the run'],
      ['--stream', 'with --detach: stores the deltas of the current step for followers'],
    ],
    help: exitStatusHelp,
    load: async () => (await import('./commands/run-command.ts')).runCommand,
  }),
  defineCommand({
    name: 'chat',
    about: 'Starts a conversation: on a terminal, or with one message per line from stdin.',
    args: [],
    flags: [
      ...traced,
      session,
      ['--continue', 'continue the session that was changed last'],
      ['--resume', 'choose the session to continue from a list'],
      ['--abandon', "abandon the session's unfinished or waiting run at the first message"],
    ],
    help: exitStatusHelp,
    load: async () => (await import('./chat/chat-command.ts')).chatCommand,
  }),
  defineCommand({
    name: 'resume',
    about: "Resumes a session's run that waits for answers, died, was aborted, or failed midway.",
    args: [['<session>', "the session's id, or a prefix of it"]],
    flags: [
      ...conducted,
      ['--take-over', "also resume the run of another agent, which becomes this agent's"],
      ['--abandon', 'abandon the run instead, and run nothing'],
    ],
    help: exitStatusHelp,
    load: async () => (await import('./commands/resume-command.ts')).resumeCommand,
  }),
  defineCommand({
    name: 'inspect',
    about: 'Shows the layers of each hook, in execution order, with the reason of each place.',
    args: [['[plugin]', 'the id of a plugin: shows its options, taps, tools, state and services']],
    flags: [
      ['-c, --config [path]', 'the config file, as for other commands; without a path: --merged'],
      debug,
      ['--merged', 'show the merged config instead, with the origin of each value'],
      json,
    ],

    load: async () => (await import('./commands/inspect-command.ts')).inspectCommand,
  }),
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
  defineCommand({
    name: 'pending',
    about: 'Shows the open questions, and the commands that answer them.',
    args: [['[session]', "a session's id, or a prefix of it; default: all sessions"]],
    flags: [...config, json],

    load: async () => (await import('./commands/pending-command.ts')).pendingCommand,
  }),
  defineCommand({
    name: 'approve',
    about: 'Approves a pending call; it is executed when its session is resumed.',
    args: [question],
    flags: [...config, ['--edit-args <json>', 'execute the call with these arguments instead']],
    help: exitStatusHelp,
    load: async () => (await import('./commands/answer-command.ts')).approveCommand,
  }),
  defineCommand({
    name: 'reject',
    about: 'Rejects a pending call; it is not executed.',
    args: [question],
    flags: [...config, ['--reason <text>', 'the reason given to the model']],
    help: exitStatusHelp,
    load: async () => (await import('./commands/answer-command.ts')).rejectCommand,
  }),
  defineCommand({
    name: 'answer',
    about: 'Answers any open question.',
    args: [question, ['<json>', "the answer as JSON, checked against the question's schema"]],
    flags: config,
    help: exitStatusHelp,
    load: async () => (await import('./commands/answer-command.ts')).answerCommand,
  }),
  defineCommand({
    name: 'worker',
    about: 'Executes submitted runs, and resumes what answers or a crash left, until it is told to stop.',
    args: [],
    flags: [
      ...config,
      ['--concurrency <n>', 'the maximum number of runs at once; default: 8'],
      ['--interval <seconds>', 'how often to look for work; default: 5'],
      ['--stop-timeout <seconds>', 'after SIGTERM, the time that runs have to end their step; default: 30'],
      ['--health <port>', 'answers probes over HTTP at this port: 503 once the store is silent for a minute'],
      ['-q, --quiet', 'only warnings and errors'],
    ],

    load: async () => (await import('./commands/worker-command.ts')).workerCommand,
  }),
  defineCommand({
    name: 'store migrate',
    about: 'Creates the tables of the store, or brings them up to date.',
    args: [],
    flags: config,

    load: async () => (await import('./commands/store-command.ts')).migrateStoreCommand,
  }),
  defineCommand({
    name: 'store stats',
    about: 'Counts the sessions of the store: what waits for workers, what runs where, and what is parked.',
    args: [],
    flags: [...config, json],

    load: async () => (await import('./commands/store-command.ts')).statsStoreCommand,
  }),
  defineCommand({
    name: 'store grants',
    about: 'Prints the SQL that gives a role of the database the rights to the store.',
    args: [['<role>', 'the name of the role']],
    flags: [
      ...config,
      ['--rights <what>', 'work (workers), submit (submit, answer, follow) or read', { default: 'work' }],
    ],

    load: async () => (await import('./commands/store-command.ts')).grantsStoreCommand,
  }),
  defineCommand({
    name: 'store copy',
    about: 'Copies all sessions to another store, and compares them. Overwrites nothing.',
    args: [
      ['<from>', 'a SQLite database, a postgres:// URL, or a config file, for its store'],
      ['<to>', 'the same; a SQLite database that does not exist is created'],
    ],
    flags: [debug],

    load: async () => (await import('./commands/store-command.ts')).copyStoreCommand,
  }),
  defineCommand({
    name: 'skills list',
    about: 'Lists the skills of the config or of directories, and those skipped, with the reason.',
    args: [['[directories...]', "directories of skills, or of one skill; default: the config's sources"]],
    flags: [...config, json],

    load: async () => (await import('./commands/skills-list-command.ts')).skillsListCommand,
  }),
  defineCommand({
    name: 'skills check',
    about: 'Checks skills against the rules of agentskills.io, which are stricter than loading.',
    args: [['<directories...>', 'directories of skills, or of one skill']],
    flags: [json, debug],
    help: '\nExit status: 0 without problems, 1 with problems, 2 if a directory does not exist',
    load: async () => (await import('./commands/skills-check-command.ts')).skillsCheckCommand,
  }),
  defineCommand({
    name: 'mcp login',
    about: 'Logs in to an MCP server of the config, and keeps the tokens for its agents.',
    args: [['<server>', "the server's name in the config"]],
    flags: config,

    load: async () => (await import('./commands/mcp-login-command.ts')).mcpLoginCommand,
  }),
  defineCommand({
    name: 'trace',
    about: 'Shows a trace file as a tree: times, tokens, costs, and changes by plugins.',
    args: [['<file>', 'a file written by run --trace or the telemetry plugin']],
    flags: [
      ['-a, --all', 'include plugin layers that changed nothing'],
      [
        '--prices <source>',
        'genai-prices, or a JSON file of prices by model, for costs missing from the file',
      ],
      json,
      debug,
    ],

    load: async () => (await import('./commands/trace-command.ts')).traceCommand,
  }),
  ...projectCommands,
];
