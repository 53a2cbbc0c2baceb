import { spawn } from 'node:child_process';

/** A program whose start is measured: what follows `node`, and its working directory. */
export interface Program {
  readonly args: readonly string[];
  readonly cwd: string;
}

/** Adds the count of the files that were loaded, modules of Node's own left out, as the last line on stderr. */
const counter = `import { registerHooks } from 'node:module';
let files = 0;
registerHooks({
  load(url, context, nextLoad) {
    if (url.startsWith('file:')) files += 1;
    return nextLoad(url, context);
  },
});
process.on('exit', () => process.stderr.write('\\n' + files));`;

/** Wall milliseconds from the start of the process to its end. */
export async function wallMs(program: Program): Promise<number> {
  const started = performance.now();
  await runProgram(program);
  return performance.now() - started;
}

/** Files that the program loads. */
export async function loadedFiles({ args, cwd }: Program): Promise<number> {
  const counted = [`--import=data:text/javascript,${encodeURIComponent(counter)}`, ...args];
  const { stderr } = await runProgram({ args: counted, cwd });
  return Number(stderr.split('\n').at(-1));
}

/** @throws when it does not end with 0 */
export async function runProgram({ args, cwd }: Program): Promise<{ stdout: string; stderr: string }> {
  const { NODE_COMPILE_CACHE: _, ...env } = process.env;
  const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const printed = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (printed.stderr += text));
  const status = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}\n${printed.stderr}`);
  return printed;
}
