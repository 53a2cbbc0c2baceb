import type { Command } from 'commander';

import type { AddCommandOptions } from './commands/add-command.ts';
import type { CreatePluginOptions } from './commands/create-plugin-command.ts';
import type { DoctorCommandOptions } from './commands/doctor-command.ts';
import type { InitCommandOptions } from './commands/init-command.ts';
import type { SchemaCommandOptions } from './commands/schema-command.ts';
import { configCommand, debugOption, type Call } from './config-command.ts';
import type { ChangeOptions } from './project/make-change.ts';

/** Adds the commands that set a project up and change it. */
export function addProjectCommands(program: Command, call: Call): void {
  program
    .command('init')
    .description('Writes a first agent: a config, a model that needs no key, and a tool. Overwrites nothing.')
    .option('--model <name>', 'provider/model, or offline; default: offline')
    .option('--plugin <names...>', 'plugins to install and list')
    .option('--language <language>', 'of the config: yaml, json or ts; default: yaml')
    .option('--no-install', 'name what is missing instead of installing it')
    .option('-y, --yes', 'ask nothing')
    .option('--dry-run', 'show what would be written, and write nothing')
    .option('--timeout <seconds>', 'how long each call of the package manager may take; default: 120')
    .option(...debugOption)
    .action((options: InitCommandOptions, command: Command) => {
      call(command, async (screen) => {
        const { initCommand } = await import('./commands/init-command.ts');
        return initCommand(options, screen);
      });
    });

  configCommand(
    program,
    'doctor',
    'Says all that is wrong with a project, what can cause the rest first, each with its fix.',
  )
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExit status: 0 if nothing is wrong, 1 with warnings alone, 2 with errors')
    .action((options: DoctorCommandOptions, command: Command) => {
      call(command, async (screen) => {
        const { doctorCommand } = await import('./commands/doctor-command.ts');
        return doctorCommand(options, screen);
      });
    });

  changingCommand(
    program,
    'add',
    'Installs plugins in the newest version that works with the core, and lists them in the config.',
  )
    .argument(
      '<plugins...>',
      'short names or packages, with a range of versions perhaps: memory, tickets@^1.2.0',
    )
    .option('--exact-name', 'take a name as it is, even if it is nearly that of a known plugin')
    .action((plugins: readonly string[], options: AddCommandOptions, command: Command) => {
      call(command, async (screen) => {
        const { addCommand } = await import('./commands/add-command.ts');
        return addCommand(plugins, options, screen);
      });
    });

  changingCommand(program, 'remove', 'Takes plugins out of the config, and uninstalls their packages.')
    .argument('<plugins...>', 'ids, short names, packages or paths')
    .action((plugins: readonly string[], options: ChangeOptions, command: Command) => {
      call(command, async (screen) => {
        const { removeCommand } = await import('./commands/remove-command.ts');
        return removeCommand(plugins, options, screen);
      });
    });

  changingCommand(
    program,
    'upgrade',
    'Installs the newest versions of plugins that work with the core, and says which newer ones do not.',
  )
    .argument('[plugins...]', 'short names or packages; default: all that package.json lists')
    .action((plugins: readonly string[], options: ChangeOptions, command: Command) => {
      call(command, async (screen) => {
        const { upgradeCommand } = await import('./commands/upgrade-command.ts');
        return upgradeCommand(plugins, options, screen);
      });
    });

  configCommand(
    program,
    'schema',
    'Writes the JSON Schema of the config, with the options of the installed plugins, for editors.',
  )
    .option('--stdout', 'print it instead')
    .action((options: SchemaCommandOptions, command: Command) => {
      call(command, async (screen) => {
        const { schemaCommand } = await import('./commands/schema-command.ts');
        return schemaCommand(options, screen);
      });
    });
}

/** Adds the command that makes a plugin, for its author. */
export function addAuthorCommand(program: Command, call: Call): void {
  program
    .command('create-plugin')
    .description(
      'Writes a plugin in a folder of its own: typed stubs, tests, build, README, CI. Overwrites nothing.',
    )
    .argument('<name>', 'the short name or the package: tickets, @acme/tickets')
    .option('--hook <names...>', 'the hooks to write stubs for; default: wrapToolCall')
    .option('--state', 'with state that is kept with the session')
    .option('--directory <path>', 'the folder to write; default: the name of the package')
    .option('--description <text>', 'what it does, in one sentence')
    .option('--author <name>', 'who holds the copyright')
    .option('--manager <name>', 'npm or pnpm; default: the one that calls this command')
    .option('-y, --yes', 'ask nothing')
    .option('--dry-run', 'show what would be written, and write nothing')
    .option(...debugOption)
    .action((name: string, options: CreatePluginOptions, command: Command) => {
      call(command, async (screen) => {
        const { createPluginCommand } = await import('./commands/create-plugin-command.ts');
        return createPluginCommand(name, options, screen);
      });
    });
}

/** A command that changes the packages and the config of a project. */
function changingCommand(program: Command, name: string, description: string): Command {
  return configCommand(program, name, description)
    .option('-y, --yes', 'make the change without a question')
    .option('--dry-run', 'show the change, and do not make it')
    .option('--timeout <seconds>', 'how long each call of the package manager may take; default: 120');
}
