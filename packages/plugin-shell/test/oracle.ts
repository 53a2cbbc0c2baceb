import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { environment } from '../src/running/environment.ts';

/** A directory in which a real bash executes lines, to find out what they do. */
export class Oracle {
  readonly #root: string;
  readonly #prefix: readonly string[];

  /** `prefix` is put before the shell, such as a sandbox. */
  constructor(root: string, prefix: readonly string[] = []) {
    this.#root = root;
    this.#prefix = prefix;
    this.#fill();
  }

  /** Executes a line. Returns true if `victim` was removed, or `./x` executed. */
  run(line: string): boolean {
    const marks = ['ran', 'victim'].map((name) => join(this.#root, name));
    const [ran = '', victim = ''] = marks;
    writeFileSync(victim, '');
    rmSync(ran, { force: true });
    const [program, ...args] = [...this.#prefix, 'bash', '-c', line];
    spawnSync(program, args, {
      cwd: this.#root,
      env: { ...closedEnvironment(process.env), HOME: this.#root },
      stdio: ['ignore', 'ignore', 'ignore'],
      timeout: 5000,
      killSignal: 'SIGKILL',
    });
    return !existsSync(victim) || existsSync(ran);
  }

  #fill(): void {
    const root = this.#root;
    const git = (...args: readonly string[]): void =>
      void execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b', ...args], {
        cwd: root,
        stdio: 'ignore',
      });
    for (const directory of ['src', 'template/hooks']) mkdirSync(join(root, directory), { recursive: true });
    const put = (name: string, text: string, mode = 0o644): void =>
      writeFileSync(join(root, name), text, { mode });
    put('x', `#!/bin/sh\ntouch "${root}/ran"\nexit 1\n`, 0o755);
    put('template/hooks/post-checkout', `#!/bin/sh\ntouch "${root}/ran"\n`, 0o755);
    put('a.txt', 'tea\n');
    put('b.txt', 'cake\n');
    put('names', 'victim\n');
    put('script', '1e ./x\n');
    put('lines', 'a:\n\t$(CMD)\n');
    put('big.txt', `touch ${root}/ran\n`.repeat(20_000));
    put('src/main.ts', 'export const tea = 1;\n');
    git('init', '-q', '-b', 'main');
    git('config', 'user.name', 'A');
    git('config', 'user.email', 'a@b');
    for (const message of ['one', 'two']) {
      put('a.txt', `tea ${message}\n`);
      git('add', 'a.txt', 'b.txt', 'src');
      git('commit', '-qm', message);
    }
    execFileSync('tar', ['cf', 'a.tar', 'a.txt', 'b.txt'], { cwd: root });
    execFileSync('gzip', ['-k', 'a.txt'], { cwd: root });
  }
}

/** Returns the environment of lines that no person sees. */
function closedEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return environment({ env: ['PATH', 'LANG'], variables: {} }, env, true);
}
