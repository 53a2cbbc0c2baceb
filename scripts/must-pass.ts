import { basename } from 'node:path';

import { runToEnd, type Ended, type RunOptions } from './run-to-end.ts';

/** Runs a program to its end. @throws an error with the whole output if the program fails */
export async function mustPass(
  program: string,
  args: readonly string[],
  { env, ...options }: RunOptions = {},
): Promise<Ended> {
  const ended = await runToEnd(program, args, {
    ...options,
    env: { FORCE_COLOR: undefined, NO_COLOR: '1', ...env },
  });
  if (ended.status === 0) return ended;
  const shown = [basename(program), ...args.map((arg) => basename(arg))].join(' ');
  throw new Error(`${shown} failed with exit status ${ended.status}\n${ended.output.trim()}`);
}
