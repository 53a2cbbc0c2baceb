import { Command } from 'commander';

import { describeCommands } from './describe-commands.ts';

/** A command as described in `--help`. */
export interface CommandRow {
  /** The name, such as `sessions delete`. */
  readonly name: string;
  /** The usage, such as `shallot sessions delete <session>`. */
  readonly usage: string;
  readonly description: string;
  /** Arguments, then options, as written, with their meanings. */
  readonly rows: readonly { readonly term: string; readonly meaning: string }[];
}

/** Returns all commands in the order of the help, without groups. */
export function commandTable(): CommandRow[] {
  const program = new Command('shallot');
  describeCommands(program, () => undefined);
  return program.commands.flatMap((command) => rowsOf(command, ''));
}

function rowsOf(command: Command, parent: string): CommandRow[] {
  const name = `${parent}${command.name()}`;
  const inner = command.commands.flatMap((each) => rowsOf(each, `${name} `));
  const { registeredArguments, options } = command;
  if (inner.length > 0 && options.length === 0) return inner;
  const written = registeredArguments.map((argument) => {
    const shown = `${argument.name()}${argument.variadic ? '...' : ''}`;
    return { term: argument.required ? `<${shown}>` : `[${shown}]`, meaning: argument.description };
  });
  const own: CommandRow = {
    name,
    usage: ['shallot', name, ...written.map(({ term }) => term)].join(' '),
    description: command.description(),
    rows: [...written, ...options.map(({ flags, description }) => ({ term: flags, meaning: description }))],
  };
  return [own, ...inner];
}
