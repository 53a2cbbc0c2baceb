import { setTimeout as delay } from 'node:timers/promises';

import type { Io } from './io.ts';
import { sized } from './sized-output.ts';
import { columnsOf } from './terminal-width.ts';
import { wrapWords } from './wrap-words.ts';

/** Somebody left a prompt (Ctrl-C, Esc), or the terminal is gone, before there was an answer. */
export class PromptLeft extends Error {
  override readonly name = 'PromptLeft';
}

export interface Choice<T extends string> {
  readonly value: T;
  readonly label: string;
  readonly hint?: string;
}

/** Prompts on a terminal. Each rejects with `PromptLeft` when nobody will answer it. */
export interface Prompts {
  choose<T extends string>(message: string, choices: readonly Choice<T>[]): Promise<T>;
  /** Any number of them, none included. */
  chooseSeveral<T extends string>(message: string, choices: readonly Choice<T>[]): Promise<readonly T[]>;
  /** `check` gives what is wrong with a text, or undefined. */
  text(message: string, options?: { readonly initial?: string; readonly check?: Check }): Promise<string>;
}

export type Check = (text: string) => string | undefined;

/** Whether there is somebody to ask: a terminal that can still be read, and one to show the question on. */
export function canAsk(io: Pick<Io, 'stdin' | 'stderr'>): boolean {
  // This first: stdin is opened when it is looked at.
  if (io.stderr.isTTY !== true) return false;
  const { stdin } = io;
  return stdin.isTTY === true && !stdin.destroyed && !stdin.readableEnded;
}

/** What stands before each line of a prompt. */
const promptIndent = 3;

/** How long what was typed before a question was there is thrown away. */
const drainMs = 60;

/** Prompts that read stdin and draw on stderr; `signal` ends the one that is open. */
export async function terminalPrompts({ stdin, stderr }: Io, signal: AbortSignal): Promise<Prompts> {
  // Loaded only when there is something to ask.
  const { isCancel, multiselect, select, text } = await import('@clack/prompts');

  /** A library that waits for keys never settles once the terminal is closed. */
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
      // The only symbol is the one of a cancelled prompt.
      return given as T;
    } finally {
      restoreRawMode();
      stdin.off('end', onClose).off('close', onClose);
    }
  };

  const shownAs = (message: string, choices: readonly Choice<string>[]) => {
    const columns = columnsOf(stderr);
    // A hint that the terminal would break in the middle of a word helps nobody.
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
      // The values are the choices' own.
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
 * Keeps readline from setting the mode of a terminal that is gone: it would throw what comes of that where nobody can catch
 * it. Gives the function that undoes this.
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

/** A key that was hit before the question could be seen is no answer to it; Ctrl-C is meant, whenever it comes. */
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
