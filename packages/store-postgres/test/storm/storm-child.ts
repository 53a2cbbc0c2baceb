import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

import type { StormTerms } from '../programs/storm-process.ts';
import type { TestProxy } from '../start-proxy.ts';

const program = new URL('../programs/storm-process.ts', import.meta.url).pathname;

/** A process of a storm. After each kill it is started again, with its clock off by another amount. */
export class StormChild {
  readonly proxy: TestProxy;
  readonly #terms: StormTerms;
  readonly #newClock: () => number;
  readonly #through = Promise.withResolvers<void>();
  #child: ChildProcess | undefined;
  #ready: Promise<unknown> = Promise.resolve();
  #isOver = false;
  #isFrozen = false;
  /** The reason why a process ended without having been killed. */
  crashed: Error | undefined;

  constructor(proxy: TestProxy, terms: StormTerms, newClock: () => number) {
    this.proxy = proxy;
    this.#terms = terms;
    this.#newClock = newClock;
    this.#start();
  }

  #start(): void {
    const terms: StormTerms = { ...this.#terms, clockOffMs: this.#newClock() };
    const child = spawn(process.execPath, ['--no-warnings', program, JSON.stringify(terms)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#child = child;
    this.#ready = Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
    child.once('exit', (status) => {
      if (status === null) return;
      // A program exits once it has seen all its sessions end.
      this.#isOver = true;
      if (status !== 0) this.crashed = new Error(`A ${this.#terms.role} ended with status ${status}.`);
      this.#through.resolve();
    });
  }

  /** Resolves when a program has seen all its sessions end. Never resolves for a worker. */
  get through(): Promise<void> {
    return this.#terms.role === 'worker' ? Promise.resolve() : this.#through.promise;
  }

  get isFrozen(): boolean {
    return this.#isFrozen;
  }

  /** Suspends the process for a time, in the middle of its work. */
  async freeze(ms: number): Promise<void> {
    const child = this.#child;
    if (child === undefined || this.#isOver) return;
    this.#isFrozen = true;
    await this.#ready;
    child.kill('SIGSTOP');
    await sleep(ms);
    child.kill('SIGCONT');
    this.#isFrozen = false;
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined || this.#isOver) return;
    await this.#ready;
    if (child.exitCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    if (!this.#isOver) this.#start();
  }

  end(): void {
    this.#isOver = true;
    this.#child?.kill('SIGKILL');
  }
}
