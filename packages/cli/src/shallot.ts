import { createRequire } from 'node:module';

import { Command, CommanderError } from 'commander';

import { addAgentCommands, addFileCommands, addSkillsCommands, addStoreCommands } from './commands.ts';
import { noteFailure } from './rendering/note-failure.ts';
import { jsonRenderer } from './rendering/render-json.ts';
import { CommandFailure } from './terminal/command-failure.ts';
import { exitStatus, exitStatusHelp } from './terminal/exit-status.ts';
import type { Io } from './terminal/io.ts';
import { Screen } from './terminal/screen.ts';

/**
 * The `shallot` command: takes its arguments and resolves with its exit status, when everything is written. It never
 * ends the process, except at a second signal to stop.
 */
export async function shallot(args: readonly string[], io: Partial<Io> = {}): Promise<number> {
  const { stdin, stdout, stderr, env } = process;
  return execute(args, new Screen({ stdin, stdout, stderr, env, cwd: process.cwd(), ...io }));
}

/** The same, on a screen that is closed afterwards. */
export async function execute(args: readonly string[], screen: Screen): Promise<number> {
  const status = await parse(args, screen);
  await screen.close();
  return screen.broken.aborted ? statusOfBroken(screen, status) : status;
}

async function parse(args: readonly string[], screen: Screen): Promise<number> {
  let status: number = exitStatus.completed;
  let endsWithError = false;
  const program = describeProgram(screen, (commandStatus) => {
    status = commandStatus;
  });
  program.hook('preAction', (_program, command) => {
    const options = command.opts<{ debug?: boolean; json?: boolean }>();
    screen.debug ||= options.debug === true;
    screen.json = options.json === true;
    // Those that print events end with the error themselves.
    endsWithError = screen.json && !['run', 'resume'].includes(command.name());
  });
  try {
    await program.parseAsync(args, { from: 'user' });
    return status;
  } catch (error) {
    // Commander has printed its own errors; help and version come this way too, with status 0.
    if (error instanceof CommanderError)
      return error.exitCode === 0 ? exitStatus.completed : exitStatus.usage;
    if (endsWithError)
      await jsonRenderer(screen).failed(error instanceof CommandFailure ? (error.cause ?? error) : error);
    return noteFailure(error, screen);
  }
}

function describeProgram(screen: Screen, onStatus: (status: number) => void): Command {
  const program = new Command('shallot')
    .description('Runs and inspects agents that a config file describes, and answers what they ask.')
    .version(version(), '-v, --version')
    .configureOutput({
      writeOut: (text) => void screen.io.stdout.write(text),
      writeErr: (text) => void screen.io.stderr.write(text),
    })
    .exitOverride()
    .showHelpAfterError('(shallot --help shows what there is)')
    .addHelpText('after', exitStatusHelp);
  addAgentCommands(program, screen, onStatus);
  addStoreCommands(program, screen);
  addSkillsCommands(program, screen, onStatus);
  addFileCommands(program, screen);
  return program;
}

/**
 * A reader that went away is nothing to talk about, nor a terminal that was closed; any other reason means that the output
 * is not complete.
 */
function statusOfBroken(screen: Screen, status: number): number {
  const error = screen.broken.reason as NodeJS.ErrnoException;
  if (error.code === 'EPIPE' || (screen.live && error.code === 'EIO')) return status;
  screen.note(`error stdout cannot be written: ${error.message}`);
  return exitStatus.failed;
}

function version(): string {
  const manifest = createRequire(import.meta.url)('shallot/package.json') as { readonly version: string };
  return manifest.version;
}
