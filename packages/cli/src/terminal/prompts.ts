import { setTimeout as delay } from 'node:timers/promises';

import type { Io } from './io.ts';
import { sized } from './sized-output.ts';
import { columnsOf } from './terminal-width.ts';
import { wrapWords } from './wrap-words.ts';

/** Thrown when a person leaves a prompt (Ctrl-C, Esc), or the terminal is closed, before an answer. */
export class PromptLeft extends Error {
  override readonly name = 'PromptLeft';
}

export interface Choice<T extends string> {
  readonly value: T;
  readonly label: string;
  readonly hint?: string;
}

/** Prompts on a terminal. Each rejects with `PromptLeft` if it will not be answered. */
export interface Prompts {
  choose<T extends string>(message: string, choices: readonly Choice<T>[]): Promise<T>;
  /** Selects any number of choices, including none. */
  chooseSeveral<T extends string>(message: string, choices: readonly Choice<T>[]): Promise<readonly T[]>;
  /** `check` returns the problem with a text, or undefined. */
  text(message: string, options?: { readonly initial?: string; readonly check?: Check }): Promise<string>;
}

export type Check = (text: string) => string | undefined;

/** Returns true if a person can be asked: stdin and stderr are terminals. */
export function canAsk(io: Pick<Io, 'stdin' | 'stderr'>): boolean {
  // Checked first, because accessing stdin opens it.
  if (io.stderr.isTTY !== true) return false;
  const { stdin } = io;
  return stdin.isTTY === true && !stdin.destroyed && !stdin.readableEnded;
}

/** The indent of each line of a prompt. */
const promptIndent = 3;

/** The time for which keys typed before a question are dropped, in milliseconds. */
const drainMs = 60;

/** Returns prompts that read stdin and draw on stderr; `signal` ends an open one. */
export async function terminalPrompts({ stdin, stderr }: Io, signal: AbortSignal): Promise<Prompts> {
  // Imported lazily, because most commands ask nothing.
  const { isCancel, multiselect, select, text } = await import('@clack/prompts');

  /** Returns the answer to a prompt; rejects once the terminal is closed, because the library would wait forever. */
  const answered = async <T>(prompt: (common: Common) => Promise<T | symbol>): Promise<T> => {
    const closed = new AbortController();
    const onClose = (): void => closed.abort();
    stdin.once('end', onClose).once('close', onClose);
    const restoreRawMode = spareRawMode(stdin);
    try {
      if (!canAsk({ stdin, stderr })) throw new PromptLeft();
      const both = AbortSignal.any([signal, closed.signal]);
      const given = await prompt({ input: stdin, output: sized(stderr), signal: both });
      if (isCancel(given) || both.aborted) throw new PromptLeft();
      // The only symbol is that of a cancelled prompt.
      return given as T;
    } finally {
      restoreRawMode();
      stdin.off('end', onClose).off('close', onClose);
    }
  };

  const shownAs = (message: string, choices: readonly Choice<string>[]) => {
    const columns = columnsOf(stderr);
    // Omits hints that the terminal would wrap.
    const fits = ({ label, hint = '' }: Choice<string>): boolean => label.length + hint.length + 7 <= columns;
    const options = choices.map(({ value, label, hint }) => ({
      value,
      label,
      ...(hint !== undefined && choices.every(fits) && { hint }),
    }));
    return { message: wrapWords(message, columns - promptIndent), options };
  };

  return {
    async choose<T extends string>(message: string, choices: readonly Choice<T>[]): Promise<T> {
      await dropTypedAhead(stdin, signal);
      const shown = shownAs(message, choices);
      // The values are those of the choices.
      return (await answered((common) => select<string>({ ...common, ...shown }))) as T;
    },
    async chooseSeveral<T extends string>(
      message: string,
      choices: readonly Choice<T>[],
    ): Promise<readonly T[]> {
      await dropTypedAhead(stdin, signal);
      const shown = shownAs(message, choices);
      const chosen = await answered<readonly string[]>((common) =>
        multiselect<string>({ ...common, ...shown, required: false }),
      );
      return choices.map(({ value }) => value).filter((value) => chosen.includes(value));
    },
    async text(message, { initial, check } = {}) {
      const validate = check && ((value: string | undefined): string | undefined => check(value ?? ''));
      const given = await answered<string | undefined>((common) =>
        text({
          ...common,
          message: wrapWords(message, columnsOf(stderr) - promptIndent),
          ...(initial !== undefined && { initialValue: initial }),
          ...(validate && { validate }),
        }),
      );
      return given ?? '';
    },
  };
}

interface Common {
  readonly input: Io['stdin'];
  readonly output: Io['stderr'];
  readonly signal: AbortSignal;
}

/**
 * Prevents readline from setting the mode of a closed terminal, whose error could not be caught. Returns a function
 * that restores the behavior.
 */
function spareRawMode(stdin: Io['stdin']): () => void {
  // oxlint-disable-next-line typescript/unbound-method -- it is called on stdin, and put back there
  const { setRawMode } = stdin;
  if (setRawMode === undefined) return () => undefined;
  stdin.setRawMode = (raw) => (stdin.readableEnded ? stdin : setRawMode.call(stdin, raw));
  return () => {
    stdin.setRawMode = setRawMode;
  };
}

/** Drops keys typed before the question was visible, except Ctrl-C. */
async function dropTypedAhead(stdin: Io['stdin'], signal: AbortSignal): Promise<void> {
  let left = false;
  const drop = (keys: Buffer | string): void => {
    left ||= keys.includes('\u0003');
  };
  stdin.setRawMode?.(true);
  stdin.on('data', drop).resume();
  await delay(drainMs, undefined, { signal }).catch(() => undefined);
  stdin.off('data', drop).pause();
  stdin.setRawMode?.(false);
  if (left) throw new PromptLeft();
}
