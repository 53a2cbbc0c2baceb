import { Console } from 'node:console';

/**
 * Sends what plugins and tools of this process write with `console` to stderr: stdout is for the answer, which a program may
 * read. For a process whose only work is the command.
 */
export function sendConsoleToStderr(): void {
  const { stderr } = process;
  Object.assign(console, new Console({ stdout: stderr, stderr }));
}
