import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { build } from 'esbuild';

/** Workers in their own processes. At regular intervals one is killed and replaced. */
export class KilledWorkers {
  readonly #program = fileURLToPath(
    new URL(`../../node_modules/.cache/sent-worker-${process.pid}.mjs`, import.meta.url),
  );
  readonly #url: string;
  readonly #children: ChildProcess[] = [];
  readonly #over = new AbortController();
  readonly #crash = Promise.withResolvers<never>();
  #killing: Promise<void> | undefined;
  kills = 0;

  constructor(url: string) {
    this.#url = url;
  }

  async start(workers: number, everyMs: number): Promise<void> {
    // Bundled, because a worker that lives for a second would otherwise spend most of it loading sources.
    await build({
      entryPoints: [fileURLToPath(new URL('../programs/sent-worker.ts', import.meta.url))],
      outfile: this.#program,
      bundle: true,
      format: 'esm',
      platform: 'node',
      external: ['pg'],
      banner: {
        js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
      },
    });
    for (let index = 0; index < workers; index += 1) this.#children.push(this.#spawn());
    this.#killing = this.#killOn(everyMs);
  }

  /** Rejects if a worker ends without having been killed. */
  get crash(): Promise<never> {
    return this.#crash.promise;
  }

  async stop(): Promise<void> {
    this.#over.abort();
    await this.#killing;
    for (const child of this.#children) child.kill('SIGKILL');
    await rm(this.#program, { force: true });
  }

  async #killOn(everyMs: number): Promise<void> {
    const { signal } = this.#over;
    while (!signal.aborted) {
      await sleep(everyMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      const oldest = this.#children.shift();
      if (oldest === undefined) return;
      oldest.kill('SIGKILL');
      this.kills += 1;
      const next = this.#spawn();
      this.#children.push(next);
      // Waits for the replacement, so that on a busy machine workers are not killed faster than they start.
      await Promise.race([once(next.stdout ?? next, 'data'), once(next, 'exit')]);
    }
  }

  #spawn(): ChildProcess {
    const child = spawn(process.execPath, ['--no-warnings', this.#program, this.#url], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    child.once('exit', (status) => {
      if (status !== null) this.#crash.reject(new Error(`A worker ended with the status ${status}.`));
    });
    return child;
  }
}
