import type { Command } from 'commander';

import type { AgentCommandOptions } from './asking/config-loading.ts';
import type { WorkerCommandOptions } from './commands/worker-command.ts';
import { configCommand, debugOption, type Call } from './config-command.ts';

/** Adds the commands for runs and sessions of several processes: `worker`, `store migrate`, `store copy`. */
export function addWorkerCommands(program: Command, call: Call): void {
  configCommand(
    program,
    'worker',
    'Executes submitted runs, and resumes what answers or a crash left, until it is told to stop.',
  )
    .option('--concurrency <n>', 'the maximum number of runs at once; default: 8')
    .option('--interval <seconds>', 'how often to look for work; default: 5')
    .option(
      '--stop-timeout <seconds>',
      'after SIGTERM, the time that runs have to end their step; default: 30',
    )
    .option('-q, --quiet', 'only warnings and errors')
    .action((options: WorkerCommandOptions, command: Command) => {
      call(command, async (screen) => {
        const { workerCommand } = await import('./commands/worker-command.ts');
        return workerCommand(options, screen);
      });
    });

  const store = program.command('store').description('Prepares and copies stores of sessions.');

  configCommand(store, 'migrate', 'Creates the tables of the store, or brings them up to date.').action(
    (options: AgentCommandOptions, command: Command) => {
      call(command, async (screen) => {
        const { migrateStoreCommand } = await import('./commands/store-command.ts');
        return migrateStoreCommand(options, screen);
      });
    },
  );

  store
    .command('copy')
    .description('Copies all sessions to another store, and compares them. Overwrites nothing.')
    .argument('<from>', 'a SQLite database, a postgres:// URL, or a config file, for its store')
    .argument('<to>', 'the same; a SQLite database that does not exist is created')
    .option(...debugOption)
    .action((from: string, to: string, _options: unknown, command: Command) => {
      call(command, async (screen) => {
        const { copyStoreCommand } = await import('./commands/store-command.ts');
        return copyStoreCommand(from, to, screen);
      });
    });
}
