import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';

/** A process that is started again whenever it was killed, as systemd or a container platform would do. */
export class Service {
  readonly name: string;
  readonly #args: readonly string[];
  readonly #env: NodeJS.ProcessEnv;
  readonly #log: WriteStream;
  #process: ChildProcess;
  /** Resolves once the process reports that it is ready. */
  #ready: Promise<unknown>;

  constructor(name: string, args: readonly string[], env: NodeJS.ProcessEnv) {
    this.name = name;
    this.#args = args;
    this.#env = env;
    this.#log = createWriteStream(`${import.meta.dirname}/.shallot/${name.replace(' ', '-')}.log`);
    [this.#process, this.#ready] = this.#start();
  }

  /** Kills the process without warning once it is ready, and starts it again. */
  async kill(): Promise<void> {
    await this.#ready;
    await this.#end('SIGKILL');
    [this.#process, this.#ready] = this.#start();
  }

  /** Stops the process gracefully. */
  async stop(): Promise<void> {
    await this.#ready;
    await this.#end('SIGTERM');
    this.#log.end();
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const { exitCode, signalCode } = this.#process;
    if (exitCode !== null || signalCode !== null) return;
    const exited = once(this.#process, 'exit');
    this.#process.kill(signal);
    await exited;
  }

  #start(): [process: ChildProcess, ready: Promise<unknown>] {
    const child = spawn(process.execPath, ['--no-warnings', ...this.#args], {
      cwd: import.meta.dirname,
      env: this.#env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const output of [child.stdout, child.stderr]) output.pipe(this.#log, { end: false });
    const first = [once(child.stdout, 'data'), once(child.stderr, 'data'), once(child, 'exit')];
    return [child, Promise.race(first)];
  }
}
