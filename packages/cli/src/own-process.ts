import { projectDirectory } from './project-command.ts';
import { readCommandLine } from './read-command-line.ts';
import { refuseCore } from './refuse-core.ts';
import { print } from './terminal/print.ts';

/**
 * Executes a command line as the only work of this process. A command ends the process; help and errors only set its exit
 * code.
 */
export async function ownProcess(args: readonly string[]): Promise<void> {
  const read = readCommandLine(args);
  if ('stdout' in read) {
    process.exitCode = await print(read, process);
    return;
  }
  const refusal = await refuseCore(projectDirectory(args, process.cwd()));
  if (refusal !== undefined) {
    process.exitCode = await print(refusal, process);
    return;
  }
  const { carryOutWatched } = await import('./carry-out-watched.ts');
  await carryOutWatched(read);
}
