import { projectDirectory } from './project-command.ts';
import { readCommandLine } from './read-command-line.ts';
import { refuseCore } from './refuse-core.ts';
import type { Io } from './terminal/io.ts';
import { print } from './terminal/print.ts';

/**
 * The `shallot` command: takes its arguments, and resolves to its exit status once all output is written. It never
 * ends the process, except at a second signal to stop.
 */
export async function shallot(args: readonly string[], io: Partial<Io> = {}): Promise<number> {
  const { stdout = process.stdout, stderr = process.stderr, env = process.env, cwd = process.cwd() } = io;
  const all: Io = {
    stdout,
    stderr,
    env,
    cwd,
    get stdin() {
      return io.stdin ?? process.stdin;
    },
  };
  const read = readCommandLine(args);
  if ('stdout' in read) return print(read, all);
  const refusal = await refuseCore(projectDirectory(args, cwd));
  if (refusal !== undefined) return print(refusal, all);
  const { Screen } = await import('./terminal/screen.ts');
  const { carryOut } = await import('./carry-out.ts');
  return carryOut(read, new Screen(all));
}
