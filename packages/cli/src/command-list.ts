import { defineCommand, type CommandDefinition } from './define-command.ts';
import { permissionsCommands } from './permissions-commands.ts';
import { projectCommands } from './project-commands.ts';
import { sessionCommands } from './session-commands.ts';
import { sharedFlags } from './shared-flags.ts';
import { exitStatusHelp } from './terminal/exit-status.ts';

const { conducted, config, debug, json, mode, question, session, traced } = sharedFlags;

/** The descriptions of command groups. */
export const commandGroups: Readonly<Record<string, string>> = {
  agents: 'Checks agents to which the model can delegate.',
  skills: 'Lists and checks skills: directories with a SKILL.md.',
  hooks: 'Tries hooks of the config.',
  mcp: 'Logs in to MCP servers, and serves the agent as one.',
  permissions: 'Shows which calls are executed, asked about and refused.',
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
      mode,
      ['--abandon', "abandon the session's unfinished or waiting run"],
      [
        '--input-stream',
        'with --json: sends what stdin has to the run, a line such as {"message": "…"} for each message',
      ],
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
      mode,
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
      mode,
      ['--take-over', "also resume the run of another agent, which becomes this agent's"],
      ['--abandon', 'abandon the run instead, and run nothing'],
    ],
    help: exitStatusHelp,
    load: async () => (await import('./commands/resume-command.ts')).resumeCommand,
  }),
  defineCommand({
    name: 'inspect',
    about: 'Shows the layers of each hook, in execution order, with the reason for each position.',
    args: [
      [
        '[plugin]',
        'the id of a plugin: shows its options, taps, tools, state and services; or permissions: shows the rules',
      ],
    ],
    flags: [
      ['-c, --config [path]', 'the config file, as for other commands; without a path: --merged'],
      debug,
      ['--merged', 'show the merged config instead, with the origin of each value'],
      json,
    ],

    load: async () => (await import('./commands/inspect-command.ts')).inspectCommand,
  }),
  ...sessionCommands,
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
    flags: [
      ...config,
      ['--edit-args <json>', 'execute the call with these arguments instead'],
      ['--always [rule]', 'keep a rule that allows it from then on; default: the proposed one'],
      ['--scope <scope>', 'with --always: session, or project; default: session'],
    ],
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
    name: 'send',
    about: "Sends a message to a session's run, in whatever process that is.",
    args: [
      ['<session>', "the session's id, or a prefix of it"],
      ['<message>', 'the message'],
    ],
    flags: [
      ...config,
      [
        '--when <when>',
        'next-step, instead (withdraws calls that have not begun) or after-run',
        { default: 'next-step' },
      ],
      ['--by <name>', 'who sends it'],
    ],
    help: exitStatusHelp,
    load: async () => (await import('./commands/send-command.ts')).sendCommand,
  }),
  defineCommand({
    name: 'worker',
    about:
      'Executes submitted runs, and resumes runs that were answered or whose worker died, until it is stopped.',
    args: [],
    flags: [
      ...config,
      ['--concurrency <n>', 'the maximum number of runs at once; default: 8'],
      ['--interval <seconds>', 'how often to look for work; default: 5'],
      ['--stop-timeout <seconds>', 'after SIGTERM, the time that runs have to end their step; default: 30'],
      [
        '--versions <which>',
        'any, or same to leave runs that another version of the agent has begun',
        { default: 'any' },
      ],
      ['--owner <name>', 'take only runs of sessions with this owner'],
      [
        '--health <port>',
        'answer health probes over HTTP on this port: 503 once the store has been silent for a minute',
      ],
      ['-q, --quiet', 'only warnings and errors'],
    ],

    load: async () => (await import('./commands/worker-command.ts')).workerCommand,
  }),
  defineCommand({
    name: 'serve',
    about: 'Serves the agent over HTTP, until it is told to stop. Needs @shallot/server.',
    args: [],
    flags: [
      ...config,
      ['--port <port>', 'the port; default: serve.port of the config, or 4111'],
      ['--host <host>', 'the address; any but that of this machine needs serve.tokens in the config'],
    ],

    load: async () => (await import('./commands/serve-command.ts')).serveCommand,
  }),
  defineCommand({
    name: 'acp',
    about:
      'Serves the agent to an editor over stdin and stdout, by the Agent Client Protocol. Needs @shallot/acp.',
    args: [],
    flags: config,

    load: async () => (await import('./commands/acp-command.ts')).acpCommand,
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
    about: 'Copies all sessions to another store, and compares them. Never overwrites a session.',
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
    name: 'agents check',
    about:
      'Checks the definitions of agents for delegation: those of the config, or the Markdown files in directories.',
    args: [['[directories...]', "directories with a Markdown file per agent; default: the config's agents"]],
    flags: [...config, json],
    help: '\nExit status: 0 without errors, 1 with errors, 2 if there is nothing to check',
    load: async () => (await import('./commands/agents-check-command.ts')).agentsCheckCommand,
  }),
  defineCommand({
    name: 'hooks test',
    about: 'Passes an event to the hooks that the config has for it, and prints what each decides.',
    args: [['<event>', 'the event, such as PreToolUse']],
    flags: [...config, ['--sample', 'pass a sample; without it, the members of the event are JSON on stdin']],
    help: '\nExit status: 0 if no hook failed, 1 if one did, 2 if there is none to try',
    load: async () => (await import('./commands/hooks-test-command.ts')).hooksTestCommand,
  }),
  defineCommand({
    name: 'mcp login',
    about: 'Logs in to an MCP server of the config, and keeps the tokens for its agents.',
    args: [['<server>', "the server's name in the config"]],
    flags: config,

    load: async () => (await import('./commands/mcp-login-command.ts')).mcpLoginCommand,
  }),
  defineCommand({
    name: 'mcp serve',
    about:
      'Serves the agent as a tool of other agents, over stdin and stdout or HTTP. Needs @shallot/mcp-server and @shallot/server.',
    args: [],
    flags: [
      ...config,
      ['--http', 'listen for streamable HTTP at /mcp, until it is told to stop'],
      ['--port <port>', 'with --http: the port; default: serve.port of the config, or 4111'],
      ['--host <host>', 'with --http: the address; any but that of this machine needs serve.tokens'],
    ],

    load: async () => (await import('./commands/mcp-serve-command.ts')).mcpServeCommand,
  }),
  ...permissionsCommands,
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
