import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The path of the command, because the package exports nothing else. */
const suite = join(import.meta.dirname, '../node_modules/@modelcontextprotocol/conformance/dist/index.js');
const client = join(import.meta.dirname, 'programs/conformance-client.ts');

/** Returns the names of the scenarios that test clients. */
export async function clientScenarios(): Promise<readonly string[]> {
  const { output } = await run(() => [suite, 'list', '--client']);
  return [...output.matchAll(/^ {2}- (\S+) \[/gm)].map(([, name = '']) => name);
}

/** Runs a scenario of the suite with the plugin's client: `--scenario NAME`. */
export function runConformance(...which: readonly string[]): Promise<{ readonly output: string }> {
  const command = `"${process.execPath}" "${client}"`;
  return run((directory) => {
    const limits = ['--timeout', '240000', '--output-dir', directory];
    return [suite, 'client', '--command', command, ...limits, ...which];
  });
}

/**
 * Runs a program in a new directory. The directory is not tied to a test, because several programs run at the same
 * time.
 */
async function run(args: (directory: string) => readonly string[]): Promise<{ readonly output: string }> {
  const cwd = await mkdtemp(join(tmpdir(), 'shallot-conformance-'));
  try {
    return await new Promise((resolve) => {
      execFile(process.execPath, args(cwd), { cwd, maxBuffer: 1e8 }, (_, stdout, stderr) => {
        resolve({ output: stdout + stderr });
      });
    });
  } finally {
    await rm(cwd, { recursive: true, force: true });
  }
}
