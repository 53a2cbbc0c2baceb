import { execFile } from 'node:child_process';
import { join } from 'node:path';

import { testDirectory } from './mcp.ts';

/** The package exports nothing but its command. */
const suite = join(import.meta.dirname, '../node_modules/@modelcontextprotocol/conformance/dist/index.js');
const client = join(import.meta.dirname, 'programs/conformance-client.ts');

/** The names of the scenarios that test clients. */
export async function clientScenarios(): Promise<readonly string[]> {
  const { output } = await run([suite, 'list', '--client'], testDirectory());
  return [...output.matchAll(/^ {2}- (\S+) \[/gm)].map(([, name = '']) => name);
}

/** Runs a scenario of the suite with the plugin's client: `--scenario NAME`. */
export function runConformance(...which: readonly string[]): Promise<{ readonly output: string }> {
  const directory = testDirectory();
  const command = `"${process.execPath}" "${client}"`;
  const limits = ['--timeout', '240000', '--output-dir', directory];
  return run([suite, 'client', '--command', command, ...limits, ...which], directory);
}

function run(args: readonly string[], cwd: string): Promise<{ readonly output: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd, maxBuffer: 1e8 }, (_, stdout, stderr) => {
      resolve({ output: stdout + stderr });
    });
  });
}
