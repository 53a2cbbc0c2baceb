/** Shorter than the timeout of a test, so that a failed wait can report the output. */
const patienceMs = 60_000;

/** The text that a command has written so far. `seen` resolves once it contains a text. */
export interface TextWatch {
  readonly text: string;
  readonly add: (text: string) => void;
  close(): void;
  readonly seen: (text: string | RegExp) => Promise<void>;
}

/** Creates a watch without any text yet. */
export function watchText(): TextWatch {
  let all = '';
  let closed = false;
  const waiting = new Set<() => void>();
  const wake = (): void => {
    for (const look of waiting) look();
  };
  return {
    get text() {
      return all;
    },
    add: (text) => {
      all += text;
      wake();
    },
    close() {
      closed = true;
      wake();
    },
    seen(text) {
      const isThere = (): boolean => (typeof text === 'string' ? all.includes(text) : text.test(all));
      return new Promise((resolve, reject) => {
        const fail = (what: string): void => reject(new Error(`${what} written ${String(text)}:\n${all}`));
        const tooLong = setTimeout(() => fail(`For ${patienceMs} ms the command has not`), patienceMs);
        const look = (): void => {
          if (!isThere() && !closed) return;
          waiting.delete(look);
          clearTimeout(tooLong);
          if (isThere()) resolve();
          else fail('The command ended without having');
        };
        waiting.add(look);
        look();
      });
    },
  };
}
