import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

import { expect, it, onTestFinished } from 'vitest';

import { runToEnd } from './run-to-end.ts';
import { readPackage, root, workspacePackages, type Manifest } from './workspace.ts';

const published = workspacePackages().filter(({ manifest }) => manifest.private !== true);
const isPlugin = ({ name }: Manifest): boolean => name.startsWith('@shallot/plugin-');

it('leaves what the tests of the plugins need, and their peer ranges, after `changeset version`', async () => {
  const copy = await copyRepository();
  const bumps = published.map(({ manifest }) => `'${manifest.name}': minor`).join('\n');
  writeFileSync(join(copy, '.changeset', 'all.md'), `---\n${bumps}\n---\n\nSomething new\n`);
  await pass(copy, 'changeset', 'version');

  const released = published.map(({ folder }) => readPackage(join(copy, relative(root, folder))).manifest);
  for (const [index, { name, version, peerDependencies }] of released.entries()) {
    const before = published[index]?.manifest;
    expect({ name, version }).not.toEqual({ name, version: before?.version });
    expect({ name, peerDependencies }).toEqual({ name, peerDependencies: before?.peerDependencies });
  }
  const suites = published.flatMap(({ folder, manifest }) =>
    isPlugin(manifest) ? [`${relative(root, folder)}/src/`] : [],
  );
  await pass(copy, 'vitest', 'run', '--project', 'fast', ...suites);
});

/** The files of the repository as they are now, as a repository of its own, with what is installed. */
async function copyRepository(): Promise<string> {
  const copy = mkdtempSync(join(tmpdir(), 'shallot-release-'));
  onTestFinished(() => rmSync(copy, { recursive: true }));
  const { stdout } = await runToEnd('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard']);
  // Deleted files whose deletion is not committed are listed, too.
  const files = stdout.split('\0').filter((file) => file !== '' && existsSync(join(root, file)));
  for (const file of files) cpSync(join(root, file), join(copy, file));
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  for (const { folder } of workspacePackages()) {
    const installed = join(folder, 'node_modules');
    cpSync(installed, join(copy, relative(root, installed)), { recursive: true, verbatimSymlinks: true });
  }
  await pass(copy, 'git', 'init', '--quiet', '--initial-branch=main');
  await pass(copy, 'git', 'add', '--all');
  const author = ['-c', 'user.name=test', '-c', 'user.email=test@example.invalid'];
  await pass(copy, 'git', ...author, 'commit', '--quiet', '--no-verify', '--message=All');
  return copy;
}

async function pass(cwd: string, program: string, ...args: readonly string[]): Promise<void> {
  const { status, output } = await runToEnd(program, args, { cwd, env: { CI: 'true' } });
  if (status !== 0) throw new Error(`${program} ${args[0]} ended with ${status}: ${output.slice(-5000)}`);
}
