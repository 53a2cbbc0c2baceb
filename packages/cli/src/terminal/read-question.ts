import { CommandFailure } from './command-failure.ts';
import { exitStatus } from './exit-status.ts';
import type { Io } from './io.ts';

/**
 * Returns the question: the argument, or stdin if the argument is `-`, or absent and stdin is not a terminal. Rejects
 * with a usage failure if there is none, and with the signal's reason on an abort.
 */
export async function readQuestion(
  argument: string | undefined,
  io: Pick<Io, 'stdin'>,
  signal: AbortSignal,
): Promise<string> {
  const fromStdin = argument === '-' || (argument === undefined && io.stdin.isTTY !== true);
  if (argument === undefined && !fromStdin) throw missing('There is no question.');
  const question = fromStdin ? (await readAll(io.stdin, signal)).trim() : (argument ?? '').trim();
  if (question === '')
    throw missing(fromStdin ? 'The question on stdin is empty.' : 'The question is empty.');
  return question;
}

async function readAll(stdin: Io['stdin'], signal: AbortSignal): Promise<string> {
  const chunks: Buffer[] = [];
  const collect = async (): Promise<void> => {
    for await (const chunk of stdin as AsyncIterable<Buffer | string>)
      chunks.push(Buffer.from(chunk as Buffer));
  };
  await Promise.race([collect(), rejectOnAbort(signal)]);
  return Buffer.concat(chunks).toString('utf8');
}

/** Never resolves; rejects with the signal's reason. */
export function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
}

function missing(what: string): CommandFailure {
  return new CommandFailure(
    exitStatus.usage,
    `${what} Pass it as one quoted argument: shallot run "…"; or pipe it in: echo "…" | shallot run -`,
  );
}
