import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

import { spawn as spawnOnTerminal } from '@lydell/node-pty';
import { onTestFinished } from 'vitest';

import { shallot } from './index.ts';
import { KeptStream } from './terminal/kept-stream.ts';

/** How a process ended: its exit status (128 + n for signal n) and what it wrote. */
export interface Ended {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A running command: `seen` resolves when its stderr or stdout has a text, `ended` when it is over. */
export interface Running {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<Ended>;
  readonly seen: (text: string | RegExp) => Promise<void>;
}

/** A command on a pseudo-terminal: `screen` is what both streams wrote, escape sequences included. */
export interface OnTerminal {
  readonly ended: Promise<{ readonly status: number; readonly screen: string }>;
  readonly seen: (text: string | RegExp) => Promise<void>;
  type(keys: string): void;
  resize(columns: number): void;
  send(signal: NodeJS.Signals): void;
  /** As when its window is closed. */
  hangUp(): void;
}

/** What a person sees on a terminal, without colours and cursor movements. */
export function plain(screen: string): string {
  // eslint-disable-next-line no-control-regex -- escape sequences begin with the escape character
  return screen.replaceAll('\r\n', '\n').replace(/\u001b\[[0-9;?]*[A-Za-z]/g, '');
}

/** A folder with an agent in it, and the real command to use there, as a process of its own. */
export interface Project {
  readonly folder: string;
  write(files: Readonly<Record<string, string>>): void;
  /** The command inside of this process. */
  here(args: readonly string[], options?: Omit<Embedding, 'cwd'>): Promise<Ended>;
  run(
    args: readonly string[],
    options?: { readonly stdin?: string; readonly env?: NodeJS.ProcessEnv | undefined },
  ): Promise<Ended>;
  start(args: readonly string[], options?: { readonly env?: NodeJS.ProcessEnv | undefined }): Running;
  onTerminal(
    args: readonly string[],
    options?: {
      readonly env?: NodeJS.ProcessEnv | undefined;
      readonly columns?: number;
      /** What a shell does with the command, `"$@"`. Without it, there is no shell. */
      readonly shell?: string;
    },
  ): OnTerminal;
}

const command = fileURLToPath(import.meta.resolve('./main.ts'));
const linked = [
  'core',
  'plugin-ask-user',
  'plugin-hitl',
  'plugin-mcp',
  'plugin-skills',
  'plugin-telemetry',
].map((name) => `@shallot/${name}`);

/** Makes a project of these files (path → content), which is gone when the test is over. */
export function makeProject(files: Readonly<Record<string, string>>): Project {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'shallot-cli-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'node_modules', '@shallot'), { recursive: true });
  for (const name of linked) {
    const target = dirname(fileURLToPath(import.meta.resolve(`${name}/package.json`)));
    symlinkSync(target, join(folder, 'node_modules', name), 'dir');
  }
  const project: Project = {
    folder,
    write(more) {
      for (const [path, content] of Object.entries(more)) {
        mkdirSync(dirname(join(folder, path)), { recursive: true });
        writeFileSync(join(folder, path), content);
      }
    },
    here(args, options) {
      return embedded(args, { ...options, cwd: folder });
    },
    run(args, { stdin = '', env } = {}) {
      const running = project.start(args, { env });
      running.child.stdin.end(stdin);
      return running.ended;
    },
    start(args, { env } = {}) {
      return follow(spawn(process.execPath, [command, ...args], { cwd: folder, env: environment(env) }));
    },
    onTerminal(args, { env, columns = 80, shell = columns > 0 ? undefined : 'stty cols 0; exec "$@"' } = {}) {
      const all = { TERM: 'xterm-256color', ...environment(env) };
      const words = [process.execPath, command, ...args];
      return followOnTerminal(
        shell === undefined ? words : ['sh', '-c', shell, 'sh', ...words],
        folder,
        all,
        columns,
      );
    },
  };
  project.write({ 'package.json': '{ "type": "module" }', ...files });
  return project;
}

interface Embedding {
  readonly stdout?: KeptStream;
  readonly cwd?: string;
  readonly stdin?: string | Readable;
  readonly env?: Readonly<Record<string, string>>;
}

/** The command inside of this process, as a program embeds it: quicker than a process of its own. */
export async function embedded(
  args: readonly string[],
  { stdout = new KeptStream(), cwd = '/', stdin = '', env = {} }: Embedding = {},
): Promise<Ended> {
  const stderr = new KeptStream();
  const status = await shallot(args, {
    stdin: typeof stdin === 'string' ? Readable.from([stdin]) : stdin,
    stdout,
    stderr,
    cwd,
    env,
  });
  return { status, stdout: stdout.text, stderr: stderr.text };
}

/** This process's, without what the test runner and a workplace might have put there. */
function environment(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const {
    NO_COLOR: _noColor,
    TERM: _term,
    FORCE_COLOR: _forceColor,
    SHALLOT_DEBUG: _debug,
    ...env
  } = process.env;
  return { ...env, ...more };
}

function follow(child: ChildProcessWithoutNullStreams): Running {
  const watch = watchText();
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    watch.add(text);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
    watch.add(text);
  });
  child.stdin.on('error', () => {
    // A command that ended without reading its input.
  });
  const { promise: ended, resolve, reject } = Promise.withResolvers<Ended>();
  child.on('error', reject);
  child.on('close', (code, signal) => {
    const end = { status: code ?? 128 + (signal === null ? 0 : constants.signals[signal]), stdout, stderr };
    watch.close();
    resolve(end);
  });
  return { child, ended, seen: watch.seen };
}

function followOnTerminal(
  [program = '', ...args]: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
  columns: number,
): OnTerminal {
  const watch = watchText();
  // A terminal without a size cannot be asked for.
  const size = columns > 0 ? { cols: columns, rows: 24 } : {};
  const terminal = spawnOnTerminal(program, args, { cwd, env, ...size });
  let screen = '';
  terminal.onData((text) => {
    screen += text;
    watch.add(text);
  });
  const { promise: ended, resolve } = Promise.withResolvers<{ status: number; screen: string }>();
  terminal.onExit(({ exitCode, signal }) => {
    watch.close();
    resolve({ status: signal ? 128 + signal : exitCode, screen });
  });
  return {
    ended,
    seen: watch.seen,
    type: (keys) => terminal.write(keys),
    resize: (cols) => terminal.resize(cols, terminal.rows),
    send: (signal) => process.kill(terminal.pid, signal),
    hangUp: () => close(terminal),
  };
}

/** As the types do not tell, a terminal can be closed: what it gives and takes fails then, and SIGHUP says so. */
function close(terminal: object): void {
  (terminal as { destroy(): void }).destroy();
}

/** Less than a test may take, so that what was written instead is told. */
const patienceMs = 25_000;

interface TextWatch {
  add(text: string): void;
  close(): void;
  readonly seen: (text: string | RegExp) => Promise<void>;
}

function watchText(): TextWatch {
  let all = '';
  let closed = false;
  const waiting = new Set<() => void>();
  const wake = (): void => {
    for (const look of waiting) look();
  };
  return {
    add(text) {
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
