import { execFile } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { expect, it, onTestFinished } from 'vitest';

import { makeProject, type Project } from '../../test/project.ts';

/** The scenarios that `shallot mcp serve` fails, with the feature that is not offered. */
const expectedFailures: Readonly<Record<string, string>> = {
  'input-required-result-basic-list-roots': 'Roots: a tool that asks for the directories of the client.',
  'input-required-result-basic-sampling': "Sampling: a tool that asks the client's model.",
  'input-required-result-capability-check': 'Sampling: the tool may ask for nothing else.',
  'input-required-result-multiple-input-requests': 'Sampling and roots, beside a form.',
  'server-stateless':
    'Sampling: a tool that is refused without it. Two more of its probes take a stream for the only form of an answer, and get JSON.',
};

const packageRoot = join(import.meta.dirname, '../..');
const fixture = join(packageRoot, 'test/mcp-conformance');
/** The package exports nothing but its command. */
const suite = join(packageRoot, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');

it('serves what the revision 2026-07-28 requires of servers, but for features that are not offered', async () => {
  const project = makeProject(
    Object.fromEntries(
      globSync('*', { cwd: fixture }).map((file) => [file, readFileSync(join(fixture, file), 'utf8')]),
    ),
  );
  for (const name of ['@shallot/mcp-server', '@modelcontextprotocol/server']) link(project, name);
  const running = project.start(['mcp', 'serve', '--http', '--port', '0']);
  onTestFinished(() => void running.child.kill('SIGKILL'));
  let text = '';
  running.child.stderr.on('data', (data) => (text += String(data)));
  await running.seen(/Serving conformance at http:\S+\/mcp\n/);
  const [url = ''] = /http:\S+/.exec(text) ?? [];
  const output = await conformance(url);
  const unscored = new Set([...output.matchAll(/^ {2}[✓✗] (\S+) \(/gm)].map(([, name]) => name));
  const scored = [...output.matchAll(/^([✓✗]) (\S+):/gm)].filter(([, , name]) => !unscored.has(name));
  expect(scored.length).toBe(37);
  const failed = scored.flatMap(([, mark, name = '']) => (mark === '✗' ? [name] : []));
  expect(failed.toSorted()).toEqual(Object.keys(expectedFailures));
});

function link({ folder }: Project, name: string): void {
  const target = join(folder, 'node_modules', name);
  mkdirSync(dirname(target), { recursive: true });
  symlinkSync(join(packageRoot, 'node_modules', name), target, 'dir');
}

/** Runs the scenarios that the revision requires. Resolves to what the suite prints. */
function conformance(url: string): Promise<string> {
  const cwd = mkdtempSync(join(tmpdir(), 'shallot-conformance-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const args = [suite, 'server', '--url', url, '--requirements', '2026-07-28', '--output-dir', cwd];
  return new Promise((resolve) => {
    // It exits with an error if a scenario fails.
    execFile(process.execPath, args, { cwd, maxBuffer: 1e8 }, (_, stdout, stderr) =>
      resolve(stdout + stderr),
    );
  });
}
