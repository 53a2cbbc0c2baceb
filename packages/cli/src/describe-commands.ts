import type { Command } from 'commander';

import { addAuthorCommand, addProjectCommands } from './add-project-commands.ts';
import { addWorkerCommands } from './add-worker-commands.ts';
import type { AgentCommandOptions } from './asking/config-loading.ts';
import type { ChatOptions } from './chat/chat.ts';
import type { ApproveCommandOptions, RejectCommandOptions } from './commands/answer-command.ts';
import type { InspectCommandOptions } from './commands/inspect-command.ts';
import type { PendingCommandOptions } from './commands/pending-command.ts';
import type { PruneCommandOptions } from './commands/prune-command.ts';
import type { ResumeCommandOptions } from './commands/resume-command.ts';
import type { RunCommandOptions } from './commands/run-command.ts';
import type { SessionsCommandOptions } from './commands/sessions-command.ts';
import type { SkillsCheckOptions } from './commands/skills-check-command.ts';
import type { SkillsListOptions } from './commands/skills-list-command.ts';
import type { TraceCommandOptions } from './commands/trace-command.ts';
import { configCommand, debugOption, type Call } from './config-command.ts';
import type { Invocation } from './invocation.ts';
import { exitStatusHelp } from './terminal/exit-status.ts';

/** Adds all commands to the program; `onCall` gets the one that its arguments call. */
export function describeCommands(program: Command, onCall: (invocation: Invocation) => void): void {
  const call: Call = (command, carryOut) => {
    const { json = false, debug = false } = command.optsWithGlobals<{ json?: boolean; debug?: boolean }>();
    onCall({ name: command.name(), json, debug, carryOut });
  };
  addAgentCommands(program, call);
  addStoreCommands(program, call);
  addWorkerCommands(program, call);
  addSkillsCommands(program, call);
  addMcpCommands(program, call);
  addFileCommands(program, call);
  addProjectCommands(program, call);
  addAuthorCommand(program, call);
}

/** Adds the commands that load the agent: `run`, `chat`, `resume`, `inspect`. */
function addAgentCommands(program: Command, call: Call): void {
  conductCommand(
    program,
    'run',
    'Asks the agent a question. Prints the answer to stdout and progress to stderr.',
  )
    .argument('[question]', 'the question; without one, or with -, it is read from stdin')
    .option('-s, --session <id>', 'the session to continue, or to start under this id')
    .option('--abandon', "abandon the session's unfinished or waiting run")
    .option('--detach', 'submit the run for a worker, and print the session; no model is loaded')
    .option('--metadata <json>', 'with --detach: an object, for the context of the run')
    .option('--stream', 'with --detach: stores the deltas of the current step for followers')
    .action((question: string | undefined, options: RunCommandOptions, command: Command) => {
      call(command, async (screen) => {
        const { runCommand } = await import('./commands/run-command.ts');
        return runCommand(question, options, screen);
      });
    });

  tracedCommand(
    program,
    'chat',
    'Starts a conversation: on a terminal, or with one message per line from stdin.',
  )
    .option('-s, --session <id>', 'the session to continue, or to start under this id')
    .option('--abandon', "abandon the session's unfinished or waiting run at the first message")
    .action((options: ChatOptions, command: Command) => {
      call(command, async (screen) => {
        const { chatCommand } = await import('./chat/chat-command.ts');
        return chatCommand(options, screen);
      });
    });

  conductCommand(
    program,
    'resume',
    "Resumes a session's run that waits for answers, died, was aborted, or failed midway.",
  )
    .argument('<session>', "the session's id, or a prefix of it")
    .option('--abandon', 'abandon the run instead, and run nothing')
    .action((sessionId: string, options: ResumeCommandOptions, command: Command) => {
      call(command, async (screen) => {
        const { resumeCommand } = await import('./commands/resume-command.ts');
        return resumeCommand(sessionId, options, screen);
      });
    });

  program
    .command('inspect')
    .description('Shows the layers of each hook, in execution order, with the reason of each place.')
    .option('-c, --config [path]', 'the config file, as for other commands; without a path: --merged')
    .option(...debugOption)
    .argument('[plugin]', 'the id of a plugin: shows its options, taps, tools, state and services')
    .option('--merged', 'show the merged config instead, with the origin of each value')
    .option('--json', 'print JSON')
    .action((plugin: string | undefined, options: InspectCommandOptions, command: Command) => {
      call(command, async (screen) => {
        const { inspectCommand } = await import('./commands/inspect-command.ts');
        return inspectCommand(plugin, options, screen);
      });
    });
}

/** Adds the commands that need the store alone: no model and no plugin is loaded for them. */
function addStoreCommands(program: Command, call: Call): void {
  const sessions = configCommand(program, 'sessions', 'Lists the sessions, most recently changed first.')
    .option('-n, --limit <number>', 'the maximum number to list', '20')
    .option(
      '--status <status>',
      'only sessions whose last run is running, interrupted, completed, aborted, failed or parked',
    )
    .option('--json', 'print JSON')
    .action((options: SessionsCommandOptions, command: Command) => {
      call(command, async (screen) => {
        const { sessionsCommand } = await import('./commands/sessions-command.ts');
        return sessionsCommand(options, screen);
      });
    });

  configCommand(sessions, 'delete', 'Deletes a session and everything stored with it.')
    .argument('<session>', "the session's full id")
    .action((sessionId: string, _options: unknown, command: Command) => {
      call(command, async (screen) => {
        const { deleteSessionCommand } = await import('./commands/sessions-command.ts');
        return deleteSessionCommand(sessionId, command.optsWithGlobals<AgentCommandOptions>(), screen);
      });
    });

  configCommand(sessions, 'prune', 'Deletes sessions that have not changed for a given time.')
    .requiredOption('--older-than <time>', 'the time without changes: 90m, 12h, 30d or 2w, for example')
    .option('--waiting', 'include sessions with open questions')
    .option('--dry-run', 'list these sessions, and delete nothing')
    .action((_options: unknown, command: Command) => {
      call(command, async (screen) => {
        const { pruneSessionsCommand } = await import('./commands/prune-command.ts');
        return pruneSessionsCommand(command.optsWithGlobals<PruneCommandOptions>(), screen);
      });
    });

  configCommand(sessions, 'backup', 'Copies all sessions to a new file; other processes can keep writing.')
    .argument('<file>', 'a file that does not exist yet')
    .action((file: string, _options: unknown, command: Command) => {
      call(command, async (screen) => {
        const { backupSessionsCommand } = await import('./commands/sessions-command.ts');
        return backupSessionsCommand(file, command.optsWithGlobals<AgentCommandOptions>(), screen);
      });
    });

  configCommand(program, 'pending', 'Shows the open questions, and the commands that answer them.')
    .argument('[session]', "a session's id, or a prefix of it; default: all sessions")
    .option('--json', 'print JSON')
    .action((sessionId: string | undefined, options: PendingCommandOptions, command: Command) => {
      call(command, async (screen) => {
        const { pendingCommand } = await import('./commands/pending-command.ts');
        return pendingCommand(sessionId, options, screen);
      });
    });

  answeringCommand(program, 'approve', 'Approves a pending call; it is executed when its session is resumed.')
    .option('--edit-args <json>', 'execute the call with these arguments instead')
    .action((id: string, options: ApproveCommandOptions, command: Command) => {
      call(command, async (screen) => {
        const { approveCommand } = await import('./commands/answer-command.ts');
        return approveCommand(id, options, screen);
      });
    });

  answeringCommand(program, 'reject', 'Rejects a pending call; it is not executed.')
    .option('--reason <text>', 'the reason given to the model')
    .action((id: string, options: RejectCommandOptions, command: Command) => {
      call(command, async (screen) => {
        const { rejectCommand } = await import('./commands/answer-command.ts');
        return rejectCommand(id, options, screen);
      });
    });

  answeringCommand(program, 'answer', 'Answers any open question.')
    .argument('<json>', "the answer as JSON, checked against the question's schema")
    .action((id: string, json: string, options: AgentCommandOptions, command: Command) => {
      call(command, async (screen) => {
        const { answerCommand } = await import('./commands/answer-command.ts');
        return answerCommand(id, json, options, screen);
      });
    });
}

/** Adds the commands about skills. What reads skills is loaded by them alone. */
function addSkillsCommands(program: Command, call: Call): void {
  const skills = program
    .command('skills')
    .description('Lists and checks skills: directories with a SKILL.md.');

  configCommand(
    skills,
    'list',
    'Lists the skills of the config or of directories, and those skipped, with the reason.',
  )
    .argument('[directories...]', "directories of skills, or of one skill; default: the config's sources")
    .option('--json', 'print JSON')
    .action((directories: readonly string[], options: SkillsListOptions, command: Command) => {
      call(command, async (screen) => {
        const { skillsListCommand } = await import('./commands/skills-list-command.ts');
        return skillsListCommand(directories, options, screen);
      });
    });

  skills
    .command('check')
    .description('Checks skills against the rules of agentskills.io, which are stricter than loading.')
    .argument('<directories...>', 'directories of skills, or of one skill')
    .option('--json', 'print JSON')
    .option(...debugOption)
    .addHelpText(
      'after',
      '\nExit status: 0 without problems, 1 with problems, 2 if a directory does not exist',
    )
    .action((directories: readonly string[], options: SkillsCheckOptions, command: Command) => {
      call(command, async (screen) => {
        const { skillsCheckCommand } = await import('./commands/skills-check-command.ts');
        return skillsCheckCommand(directories, options, screen);
      });
    });
}

/** Adds the commands about MCP servers. */
function addMcpCommands(program: Command, call: Call): void {
  const mcp = program.command('mcp').description('Logs in to MCP servers.');

  configCommand(mcp, 'login', 'Logs in to an MCP server of the config, and keeps the tokens for its agents.')
    .argument('<server>', "the server's name in the config")
    .action((server: string, options: AgentCommandOptions, command: Command) => {
      call(command, async (screen) => {
        const { mcpLoginCommand } = await import('./commands/mcp-login-command.ts');
        return mcpLoginCommand(server, options, screen);
      });
    });
}

/** Adds the commands that need no config. */
function addFileCommands(program: Command, call: Call): void {
  program
    .command('trace')
    .description('Shows a trace file as a tree: times, tokens, costs, and changes by plugins.')
    .argument('<file>', 'a file written by run --trace or the telemetry plugin')
    .option('-a, --all', 'include plugin layers that changed nothing')
    .option(
      '--prices <source>',
      'genai-prices, or a JSON file of prices by model, for costs missing from the file',
    )
    .option('--json', 'print JSON')
    .option(...debugOption)
    .action((file: string, options: TraceCommandOptions, command: Command) => {
      call(command, async (screen) => {
        const { traceCommand } = await import('./commands/trace-command.ts');
        return traceCommand(file, options, screen);
      });
    });
}

/** A command that lets the agent run. */
function conductCommand(program: Command, name: string, description: string): Command {
  return tracedCommand(program, name, description)
    .option('--no-ask', 'never ask, even on a terminal: stop with the open questions')
    .option('--json', 'print every event as a line of JSON to stdout; never ask');
}

/** What every command takes that lets an agent run. */
function tracedCommand(program: Command, name: string, description: string): Command {
  return configCommand(program, name, description)
    .option('-q, --quiet', 'no progress on stderr; warnings, errors and questions remain')
    .option('--reasoning', "show the model's reasoning on stderr; default: only on a terminal")
    .option('--no-reasoning', "hide the model's reasoning")
    .option('--trace [file]', 'record the run in a file for shallot trace; default: .shallot/traces/…')
    .option('--trace-content', 'the same, including messages, arguments and results')
    .addHelpText('after', exitStatusHelp);
}

/** A command that answers one question. */
function answeringCommand(program: Command, name: string, description: string): Command {
  return configCommand(program, name, description)
    .argument('<id>', "the question's id, or a prefix of it")
    .addHelpText('after', exitStatusHelp);
}
