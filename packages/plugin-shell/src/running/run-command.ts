import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

import { endGroup, watchGroup } from './end-group.ts';

/** The time to wait for output that a process outside of the group may hold open. */
const drainMs = 500;

interface CommandSetting {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly killAfterMs: number;
  /** Ends the command when aborted. */
  readonly signal: AbortSignal;
  /** Called with pieces of the output. It must not keep them, because their memory is released when it returns. */
  readonly onOutput: (piece: Buffer) => void;
}

/** The exit status of a command, or the signal that ended it. */
export interface CommandEnd {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
}

/**
 * Runs a program without stdin in its own process group, and then ends the rest of the group. Resolves when no process of
 * the group runs any more.
 * @throws the system's error if the program cannot be started; the reason of an abort before the start
 */
export async function runCommand(argv: readonly string[], setting: CommandSetting): Promise<CommandEnd> {
  const { cwd, env, killAfterMs, signal, onOutput } = setting;
  signal.throwIfAborted();
  const [program = '', ...args] = argv;
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const closed = once(child, 'close');
  const ended = endOf(child);
  // Both are awaited below, unless the program cannot be started.
  closed.catch(() => undefined);
  const onData = (piece: Buffer): void => {
    onOutput(piece);
    release(piece);
  };
  child.stdout.on('data', onData);
  child.stderr.on('data', onData);
  const { pid } = child;
  if (pid === undefined) return ended;
  watchGroup(pid);
  let ending: Promise<void> | undefined;
  const end = (): void => {
    ending ??= endGroup(pid, killAfterMs);
  };
  signal.addEventListener('abort', end);
  try {
    return await ended;
  } finally {
    signal.removeEventListener('abort', end);
    await ending;
    await endGroup(pid, killAfterMs);
    await within(closed, drainMs);
    child.stdout.destroy();
    child.stderr.destroy();
  }
}

/** Frees the memory of a piece at once: the garbage collector would let some 70 MB of them gather first. */
function release({ buffer, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}

function endOf(child: ChildProcess): Promise<CommandEnd> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }));
  });
}

async function within(closed: Promise<unknown>, ms: number): Promise<void> {
  const late = new AbortController();
  // Rejects only when it is stopped.
  const timer = delay(ms, undefined, { signal: late.signal }).catch(() => undefined);
  await Promise.race([closed, timer]);
  late.abort();
}
