import { InvalidArgumentError, type Command } from 'commander';

import { commandGroups, commandList } from './command-list.ts';
import type { CommandDefinition } from './define-command.ts';
import type { Invocation } from './invocation.ts';

/** Adds all commands to the program; `onCall` receives the called one. */
export function describeCommands(program: Command, onCall: (invocation: Invocation) => void): void {
  for (const definition of commandList) describeCommand(program, definition, onCall);
}

function describeCommand(
  program: Command,
  { name, about, args, flags, help, load }: CommandDefinition,
  onCall: (invocation: Invocation) => void,
): void {
  const command = addCommand(program, name.split(' '))
    .description(about)
    .showHelpAfterError(`(see shallot ${name} --help)`);
  for (const [written, meaning] of args) command.argument(written, meaning);
  for (const [written, meaning, more] of flags) {
    const option = command.createOption(written, meaning);
    if (more !== undefined && 'default' in more) option.default(more.default);
    if ((option.required || option.optional) && !option.variadic) option.argParser(onlyOnce());
    command.addOption(option.makeOptionMandatory(more !== undefined && 'required' in more));
  }
  if (help !== undefined) command.addHelpText('after', help);
  command.action((...given: unknown[]) => {
    // Commander passes the arguments, then the options, then the command.
    const values = given.slice(0, args.length);
    const options = command.optsWithGlobals<{ json?: boolean; debug?: boolean }>();
    const { json = false, debug = false } = options;
    const carryOut: Invocation['carryOut'] = async (screen) => (await load())(...values, options, screen);
    onCall({ json, debug, carryOut });
  });
}

/** Returns a parser that refuses a second value, which would silently replace the first one. */
function onlyOnce(): (value: string) => string {
  let isGiven = false;
  return (value) => {
    if (isGiven) throw new InvalidArgumentError('It is given twice; write it once.');
    isGiven = true;
    return value;
  };
}

/** Adds a command to its group, which is created on first use. */
function addCommand(program: Command, [name = '', inner]: readonly string[]): Command {
  if (inner === undefined) return program.command(name);
  const known = program.commands.find((command) => command.name() === name);
  const group = known ?? program.command(name).description(commandGroups[name] ?? '');
  return group.command(inner);
}
