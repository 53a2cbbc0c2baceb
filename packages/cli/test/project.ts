import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

import { onTestFinished } from 'vitest';

import { shallot } from '../src/index.ts';
import { pseudoTerminal, terminalHere, type OnPseudoTerminal, type OnTerminal } from './terminal.ts';
import { KeptStream } from './terminal/kept-stream.ts';
import { watchText } from './watch.ts';

/** The exit status of a process (128 + n for signal n), and its output. */
export interface Ended {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A running command. `seen` resolves as soon as its output contains a text, `ended` when the process ends. */
export interface Running {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<Ended>;
  readonly seen: (text: string | RegExp) => Promise<void>;
}

/** A folder with an agent, in which the command runs. */
export interface Project {
  readonly folder: string;
  write(files: Readonly<Record<string, string>>): void;
  /** Runs the command inside of this process. */
  here(args: readonly string[], options?: Omit<Embedding, 'cwd'>): Promise<Ended>;
  run(
    args: readonly string[],
    options?: { readonly stdin?: string; readonly env?: NodeJS.ProcessEnv | undefined },
  ): Promise<Ended>;
  start(args: readonly string[], options?: { readonly env?: NodeJS.ProcessEnv | undefined }): Running;
  /**
   * Starts the command inside of this process, on a terminal made of streams. That is quicker than a process of its
   * own.
   */
  onTerminal(
    args: readonly string[],
    options?: { readonly env?: NodeJS.ProcessEnv | undefined; readonly columns?: number },
  ): OnTerminal;
  /** Starts a process on a pseudo-terminal, for tests of signals, terminal modes and the end of a terminal. */
  onPseudoTerminal(
    args: readonly string[],
    options?: {
      readonly env?: NodeJS.ProcessEnv | undefined;
      readonly columns?: number;
      /** The shell line that starts the command, in which `"$@"` stands for the command. Default: no shell. */
      readonly shell?: string;
    },
  ): OnPseudoTerminal;
}

const command = fileURLToPath(import.meta.resolve('../src/main.ts'));
const linked = [
  'core',
  'model-ai-sdk',
  'plugin-ask-user',
  'plugin-hitl',
  'plugin-mcp',
  'plugin-skills',
  'plugin-subagents',
  'plugin-telemetry',
  'testing',
].map((name) => `@shallot/${name}`);

/** Makes a project with these files (path → content) and removes it when the test is over. */
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
    onTerminal(args, { env, columns = 80 } = {}) {
      return terminalHere(args, { cwd: folder, env: onTerminalOf(env), columns });
    },
    onPseudoTerminal(
      args,
      { env, columns = 80, shell = columns > 0 ? undefined : 'stty cols 0; exec "$@"' } = {},
    ) {
      const words = [process.execPath, command, ...args];
      return pseudoTerminal(shell === undefined ? words : ['sh', '-c', shell, 'sh', ...words], {
        cwd: folder,
        env: onTerminalOf(env),
        columns,
      });
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

/**
 * Runs the command inside of this process, as a program that embeds it does. That is quicker than a process of its own.
 */
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

/**
 * Returns the environment of this process without the variables that the test runner or a developer's shell may have
 * set.
 */
function environment(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const {
    NO_COLOR: _noColor,
    TERM: _term,
    FORCE_COLOR: _forceColor,
    SHALLOT_DEBUG: _debug,
    npm_command: _command,
    ...env
  } = process.env;
  return { ...env, ...more };
}

function onTerminalOf(more: NodeJS.ProcessEnv | undefined): NodeJS.ProcessEnv {
  return { TERM: 'xterm-256color', ...environment(more) };
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
    // The command may end without reading its input.
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
