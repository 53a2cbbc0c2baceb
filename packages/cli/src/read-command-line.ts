import { Command, CommanderError } from 'commander';

import manifest from '../package.json' with { type: 'json' };
import { commandList } from './command-list.ts';
import { describeCommands } from './describe-commands.ts';
import type { Invocation } from './invocation.ts';
import { exitStatus, exitStatusHelp } from './terminal/exit-status.ts';
import type { Printout } from './terminal/print.ts';

/** Parses the arguments into a command, or into output: help, the version, or an error. */
export function readCommandLine(args: readonly string[]): Invocation | Printout {
  let stdout = '';
  let stderr = '';
  let invocation: Invocation | undefined;
  const program = new Command('shallot')
    .description('Runs and inspects agents described by a config file, and answers their questions.')
    .version(manifest.version, '-v, --version')
    .configureOutput({
      writeOut: (text) => (stdout += text),
      writeErr: (text) => (stderr += text),
      outputError: (text, write) => write(usageError(text)),
    })
    .exitOverride()
    .showHelpAfterError('(see shallot --help)')
    .addHelpText('after', exitStatusHelp);
  describeCommands(program, (called) => {
    invocation = called;
  });
  try {
    program.parse(args, { from: 'user' });
    if (invocation !== undefined) return invocation;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Help and version also end this way, with status 0.
    if (error.exitCode === 0) return { status: exitStatus.completed, stdout, stderr };
  }
  return { status: exitStatus.usage, stdout: args.includes('--json') ? asJson(stderr) : stdout, stderr };
}

/** Returns an error of the parser in the form of all others: with a code, and as sentences. */
function usageError(text: string): string {
  return text
    .replace(
      /too many arguments for '(\S+)'\. Expected 0 arguments but got \d+: ([^\s,]+?)\.?(?:,.*)?$/m,
      noSuchCommand,
    )
    .replace(/^error: (.+?)\.?$/m, 'error USAGE_INVALID: $1.')
    .replace(/^(error USAGE_INVALID: too many arguments .*)$/m, '$1 Quote what has spaces.')
    .replace(/\n\((Did you mean .+\?)\)/, ' $1');
}

/**
 * Returns the error for a word after a command without arguments. If the command has subcommands, the word may be
 * meant as one of them.
 */
function noSuchCommand(message: string, name: string, word: string): string {
  const group = commandList.filter((command) => command.name.startsWith(`${name} `));
  if (group.length === 0) return message;
  const names = group.map((command) => command.name.slice(name.length + 1));
  return `unknown command '${name} ${word}'. Write one of ${names.join(', ')}`;
}

/** Returns an error of the parser in the form in which `--json` prints all others. */
function asJson(stderr: string): string {
  const message = /^error USAGE_INVALID: (.+)$/m.exec(stderr)?.[1] ?? stderr;
  return `${JSON.stringify({ type: 'error', error: { code: 'USAGE_INVALID', message } })}\n`;
}
