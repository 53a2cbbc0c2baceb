import type { Command } from 'commander';

import type { AgentCommandOptions } from './asking/config-loading.ts';
import type { ChatOptions } from './chat/chat.ts';
import {
  answerCommand,
  approveCommand,
  rejectCommand,
  type ApproveCommandOptions,
  type RejectCommandOptions,
} from './commands/answer-command.ts';
import { inspectCommand, type InspectCommandOptions } from './commands/inspect-command.ts';
import { pendingCommand, type PendingCommandOptions } from './commands/pending-command.ts';
import type { PruneCommandOptions } from './commands/prune-command.ts';
import { resumeCommand, type ResumeCommandOptions } from './commands/resume-command.ts';
import { runCommand, type RunCommandOptions } from './commands/run-command.ts';
import {
  backupSessionsCommand,
  deleteSessionCommand,
  sessionsCommand,
  type SessionsCommandOptions,
} from './commands/sessions-command.ts';
import type { SkillsCheckOptions } from './commands/skills-check-command.ts';
import type { SkillsListOptions } from './commands/skills-list-command.ts';
import type { TraceCommandOptions } from './commands/trace-command.ts';
import { exitStatusHelp } from './terminal/exit-status.ts';
import type { Screen } from './terminal/screen.ts';

const debugOption = ['--debug', 'stacks and causes with errors; also SHALLOT_DEBUG=1'] as const;

/** Adds the commands that load the agent: `run`, `chat`, `resume`, `inspect`. */
export function addAgentCommands(program: Command, screen: Screen, onStatus: (status: number) => void): void {
  conductCommand(program, 'run', 'Asks the agent a question. The answer goes to stdout, progress to stderr.')
    .argument('[question]', 'the question; - or nothing reads it from stdin')
    .option('-s, --session <id>', 'the session to continue, or to begin under this id')
    .option('--abandon', "give up the session's unfinished or waiting run")
    .action(async (question: string | undefined, options: RunCommandOptions) => {
      onStatus(await runCommand(question, options, screen));
    });

  tracedCommand(program, 'chat', 'Talks with the agent: on a terminal, or one message a line from stdin.')
    .option('-s, --session <id>', 'the session to continue, or to begin under this id')
    .option('--abandon', "give up the session's unfinished or waiting run with the first message")
    .action(async (options: ChatOptions) => {
      // What it shows Markdown with is loaded for it alone.
      const { chatCommand } = await import('./chat/chat-command.ts');
      onStatus(await chatCommand(options, screen));
    });

  conductCommand(
    program,
    'resume',
    "Goes on with a session's run that waits for answers, died, was aborted, or failed on the way.",
  )
    .argument('<session>', "the session's id, or the beginning of it")
    .option('--abandon', 'give the run up instead, and run nothing')
    .action(async (sessionId: string, options: ResumeCommandOptions) => {
      onStatus(await resumeCommand(sessionId, options, screen));
    });

  configCommand(
    program,
    'inspect',
    'Shows the onion: for each hook, the layers in the order in which they run.',
  )
    .option('--json', 'as JSON')
    .action(async (options: InspectCommandOptions) => {
      await inspectCommand(options, screen);
    });
}

/** Adds the commands that need the store alone: no model and no plugin is loaded for them. */
export function addStoreCommands(program: Command, screen: Screen): void {
  const sessions = configCommand(program, 'sessions', 'Lists the sessions, the one that changed last first.')
    .option('-n, --limit <number>', 'how many', '20')
    .option(
      '--status <status>',
      'only those whose last run is running, interrupted, completed, aborted or failed',
    )
    .option('--json', 'as JSON')
    .action(async (options: SessionsCommandOptions) => {
      await sessionsCommand(options, screen);
    });

  configCommand(sessions, 'delete', 'Deletes a session with all that it holds.')
    .argument('<session>', "the session's whole id")
    .action(async (sessionId: string, _options: unknown, command: Command) => {
      await deleteSessionCommand(sessionId, command.optsWithGlobals<AgentCommandOptions>(), screen);
    });

  configCommand(sessions, 'prune', 'Deletes the sessions that have not changed for some time.')
    .requiredOption('--older-than <time>', 'how long: 90m, 12h, 30d, 2w')
    .option('--waiting', 'also those with open questions')
    .option('--dry-run', 'only list them')
    .action(async (_options: unknown, command: Command) => {
      const { pruneSessionsCommand } = await import('./commands/prune-command.ts');
      await pruneSessionsCommand(command.optsWithGlobals<PruneCommandOptions>(), screen);
    });

  configCommand(sessions, 'backup', 'Copies all sessions to a new file, while others go on writing.')
    .argument('<file>', 'a file that does not exist yet')
    .action(async (file: string, _options: unknown, command: Command) => {
      await backupSessionsCommand(file, command.optsWithGlobals<AgentCommandOptions>(), screen);
    });

  configCommand(program, 'pending', 'Shows the open questions in full, with the commands that answer them.')
    .argument('[session]', "a session's id, or the beginning of it; default: all")
    .option('--json', 'as JSON')
    .action(async (sessionId: string | undefined, options: PendingCommandOptions) => {
      await pendingCommand(sessionId, options, screen);
    });

  answeringCommand(
    program,
    'approve',
    'Lets the call of an approval be executed when its session is resumed.',
  )
    .option('--edit-args <json>', 'execute it with these arguments instead')
    .action(async (id: string, options: ApproveCommandOptions) => {
      await approveCommand(id, options, screen);
    });

  answeringCommand(program, 'reject', 'Keeps the call of an approval from being executed.')
    .option('--reason <text>', 'what the model is told')
    .action(async (id: string, options: RejectCommandOptions) => {
      await rejectCommand(id, options, screen);
    });

  answeringCommand(program, 'answer', 'Answers any open question.')
    .argument('<json>', "the answer as JSON; the question's schema checks it")
    .action(async (id: string, json: string, options: AgentCommandOptions) => {
      await answerCommand(id, json, options, screen);
    });
}

/** Adds the commands about skills. What reads skills is loaded by them alone. */
export function addSkillsCommands(
  program: Command,
  screen: Screen,
  onStatus: (status: number) => void,
): void {
  const skills = program
    .command('skills')
    .description('Lists and checks skills: directories with a SKILL.md.');

  configCommand(
    skills,
    'list',
    "Lists the config's skills, or those of directories, and what is left out and why.",
  )
    .argument('[directories...]', "directories of skills, or of one skill; default: the config's sources")
    .option('--json', 'as JSON')
    .action(async (directories: readonly string[], options: SkillsListOptions) => {
      const { skillsListCommand } = await import('./commands/skills-list-command.ts');
      await skillsListCommand(directories, options, screen);
    });

  skills
    .command('check')
    .description('Checks skills by the rules of agentskills.io, which are stricter than what is read.')
    .argument('<directories...>', 'directories of skills, or of one skill')
    .option('--json', 'as JSON')
    .option(...debugOption)
    .addHelpText(
      'after',
      '\nExit status: 0 when all is well, 1 when there are problems, 2 when a directory is not there',
    )
    .action(async (directories: readonly string[], options: SkillsCheckOptions) => {
      const { skillsCheckCommand } = await import('./commands/skills-check-command.ts');
      onStatus(await skillsCheckCommand(directories, options, screen));
    });
}

/** Adds the commands that need no config. */
export function addFileCommands(program: Command, screen: Screen): void {
  program
    .command('trace')
    .description(
      'Shows what a trace file tells of a run, as a tree: times, tokens, costs, what plugins changed.',
    )
    .argument('<file>', 'a file that run --trace or the telemetry plugin wrote')
    .option('-a, --all', 'also the layers of plugins that changed nothing')
    .option(
      '--prices <source>',
      'genai-prices, or a JSON file of prices by model: for costs that the file has not',
    )
    .option('--json', 'as JSON')
    .option(...debugOption)
    .action(async (file: string, options: TraceCommandOptions) => {
      // What reads traces is loaded for this alone.
      const { traceCommand } = await import('./commands/trace-command.ts');
      await traceCommand(file, options, screen);
    });
}

/** A command that finds what it needs through a config file. */
function configCommand(program: Command, name: string, description: string): Command {
  return program
    .command(name)
    .description(description)
    .option('-c, --config <path>', 'the config file; default: the nearest one from here upwards')
    .option(...debugOption);
}

/** A command that lets the agent run. */
function conductCommand(program: Command, name: string, description: string): Command {
  return tracedCommand(program, name, description)
    .option('--no-ask', 'ask nothing, also on a terminal: stop with the open questions')
    .option('--json', 'every event as a line of JSON on stdout; asks nothing');
}

/** What every command takes that lets an agent run. */
function tracedCommand(program: Command, name: string, description: string): Command {
  return configCommand(program, name, description)
    .option('-q, --quiet', 'no progress on stderr; warnings, errors and questions remain')
    .option('--trace [file]', 'write what happens into a file for shallot trace; default: .shallot/traces/…')
    .option('--trace-content', 'the same, with messages, arguments and results')
    .addHelpText('after', exitStatusHelp);
}

/** A command that answers one question. */
function answeringCommand(program: Command, name: string, description: string): Command {
  return configCommand(program, name, description)
    .argument('<id>', "the question's id, or the beginning of it")
    .addHelpText('after', exitStatusHelp);
}
