import type { Command } from 'commander';

import type { Invocation } from './invocation.ts';

/** Takes the command that was called. Each loads what it needs when it is carried out, and nothing before. */
export type Call = (command: Command, carryOut: Invocation['carryOut']) => void;

export const debugOption = ['--debug', 'print stacks and causes of errors; also SHALLOT_DEBUG=1'] as const;

/** A command that finds what it needs through a config file. */
export function configCommand(program: Command, name: string, description: string): Command {
  return program
    .command(name)
    .description(description)
    .option('-c, --config <path>', 'the config file; default: the nearest one, from here upwards')
    .option(...debugOption);
}
