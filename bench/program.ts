import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** A program whose start is measured: the arguments of `node`, and the working directory. */
export interface Program {
  readonly args: readonly string[];
  readonly cwd: string;
}

/** The cost of a process from its start to its end. */
export interface Start {
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly stdout: string;
}

const probe = pathToFileURL(join(import.meta.dirname, 'probe.js')).href;

/** Runs the program. @throws if its exit status is not 0 */
export async function start(program: Program): Promise<Start> {
  const begun = performance.now();
  const { stdout, cpuMs } = await probed(program, {});
  return { wallMs: performance.now() - begun, cpuMs, stdout };
}

/** Returns the number of files that the program loads. */
export async function loadedFiles(program: Program): Promise<number> {
  return (await probed(program, { BENCH_COUNTS_FILES: '1' })).files;
}

async function probed(
  { args, cwd }: Program,
  extra: NodeJS.ProcessEnv,
): Promise<{ stdout: string; cpuMs: number; files: number }> {
  // Without the compile cache that the tests share, so that programs use their own.
  const env = { ...process.env, ...extra, NODE_COMPILE_CACHE: undefined };
  const child = spawn(process.execPath, ['--import', probe, ...args], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const status = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}\n${stderr}`);
  return { stdout, ...(JSON.parse(stderr.split('\n').at(-1) ?? '') as { cpuMs: number; files: number }) };
}
