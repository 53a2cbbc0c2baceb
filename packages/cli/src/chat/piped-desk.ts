import { createInterface } from 'node:readline';

import type { Io } from '../terminal/io.ts';
import { PromptLeft } from '../terminal/prompts.ts';
import type { Desk } from './desk.ts';

/**
 * Returns a desk for messages from a pipe or file, one per line; a backslash at its end continues a line. Questions
 * cannot be asked.
 */
export function pipedDesk(stdin: Io['stdin'], signal: AbortSignal): Desk {
  const lines = createInterface({ input: stdin, crlfDelay: Number.POSITIVE_INFINITY });
  const iterator = lines[Symbol.asyncIterator]();
  const onAbort = (): void => lines.close();
  signal.addEventListener('abort', onAbort, { once: true });
  return {
    asks: false,
    stopped: 'aborted',
    async next() {
      const message: string[] = [];
      for (;;) {
        const { value, done } = await iterator.next();
        if (signal.aborted) return { type: 'end' };
        if (done === true)
          return message.length === 0 ? { type: 'end' } : { type: 'text', text: message.join('\n') };
        if (!value.endsWith('\\')) return { type: 'text', text: [...message, value].join('\n') };
        message.push(value.slice(0, -1));
      }
    },
    attend: (work) => work(signal),
    // Each line of a pipe is a separate message, which begins its own run.
    steer: () => undefined,
    read: () => undefined,
    ask: () => Promise.reject(new PromptLeft()),
    current: signal,
    putBack: () => undefined,
    remember: () => undefined,
    close() {
      signal.removeEventListener('abort', onAbort);
      lines.close();
    },
  };
}
