import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { delimiter, join } from 'node:path';

import { root } from './workspace.ts';

/** The options of a program. After `timeoutMs` it is killed. Default: never. */
export interface RunOptions {
  readonly cwd?: string;
  /** Variables to add to this process's environment; `undefined` removes one. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs?: number;
}

/** The end of a program: its exit status (128 + n for signal n), its stdout, and its stdout and stderr as they came. */
export interface Ended {
  readonly status: number;
  readonly stdout: string;
  readonly output: string;
}

/**
 * Runs a program from `node_modules/.bin` or the PATH, without a shell and without input. Rejects only if the program
 * cannot be started.
 */
export function runToEnd(program: string, args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  const { promise, resolve, reject } = Promise.withResolvers<Ended>();
  const child = spawn(program, args, {
    cwd: options.cwd ?? root,
    env: {
      ...process.env,
      PATH: [join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter),
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: options.timeoutMs,
  });
  const kill = (): boolean => child.kill();
  process.once('exit', kill);
  let stdout = '';
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    output += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  child.on('error', reject);
  child.on('close', (code, signal) => {
    process.off('exit', kill);
    if (signal !== null) output += `\n${program} was ended by ${signal}`;
    resolve({ status: code ?? 128 + (signal === null ? 0 : constants.signals[signal]), stdout, output });
  });
  return promise;
}
