import { spawn } from 'node:child_process';

/** A process that failed or timed out, with the end of its output. */
export class ProcessFailure extends Error {
  readonly timedOut: boolean;

  constructor(message: string, timedOut: boolean) {
    super(message);
    this.timedOut = timedOut;
  }
}

/**
 * Runs this Node with `args`, and returns the figures in the last line of its output, which is JSON. @throws
 * `ProcessFailure` if it fails or takes longer than `timeoutMs`
 */
export async function figuresOf<Figures = Record<string, number>>(
  args: readonly string[],
  options: { readonly cwd: string; readonly timeoutMs: number },
): Promise<Figures> {
  const child = spawn(process.execPath, args, {
    cwd: options.cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    // Keeps peers from sending telemetry and printing warnings.
    env: { ...process.env, NODE_NO_WARNINGS: '1', NODE_ENV: 'production', MASTRA_TELEMETRY_DISABLED: '1' },
  });
  let output = '';
  let complaints = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-10_000);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints = (complaints + text).slice(-4_000);
  });
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    child.kill('SIGKILL');
  }, options.timeoutMs);
  const status = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  }).finally(() => clearTimeout(timer));

  if (timedOut) throw new ProcessFailure(`took longer than ${options.timeoutMs / 1000} s`, true);
  const line = output.trimEnd().split('\n').at(-1) ?? '';
  if (status !== 0 || !/^[[{]/.test(line)) {
    throw new ProcessFailure(`ended with ${status}\n${output}${complaints}`.trim(), false);
  }
  return JSON.parse(line) as Figures;
}
