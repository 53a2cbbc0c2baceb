import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** An effect of a tool, and its key. */
export interface Effect {
  readonly tool: string;
  readonly key: string;
}

/** The recorded effects, which outlive the process that caused them. */
export interface Effects {
  all(): readonly Effect[];
  /** Records an effect. Stays pending if the process dies right after the effect. */
  put(effect: Effect): void | Promise<void>;
}

/** Records effects as lines of a file in a folder. They are on disk when `put` returns. */
export function effectsIn(folder: string): Effects {
  const path = join(folder, 'effects');
  return {
    all() {
      const lines = readFileSync(path, { encoding: 'utf8', flag: 'a+' }).split('\n');
      return lines.slice(0, -1).map((line) => JSON.parse(line) as Effect);
    },
    put(effect) {
      const file = openSync(path, 'a');
      writeSync(file, `${JSON.stringify(effect)}\n`);
      fsyncSync(file);
      closeSync(file);
    },
  };
}
