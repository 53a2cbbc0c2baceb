import { readCommandLine } from './read-command-line.ts';
import { print } from './terminal/print.ts';

/** The command as the only work of this process, which ends with it. */
export async function ownProcess(args: readonly string[]): Promise<void> {
  const read = readCommandLine(args);
  if ('stdout' in read) {
    process.exitCode = await print(read, process);
    return;
  }
  const { carryOutWatched } = await import('./carry-out-watched.ts');
  await carryOutWatched(read);
}
