// Packs every public package as it would be published, lints the tarballs, and installs them into an empty project.
// There it imports and type-checks every entry, and starts every command. It also checks the size of the core.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync, globSync, lstatSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { mustPass } from './must-pass.ts';
import { packPackage } from './pack-package.ts';
import { runToEnd } from './run-to-end.ts';
import { root, workspacePackages, type WorkspacePackage } from './workspace.ts';

const coreLimits = { megabytes: 4, packages: 16 };

/** Entries that only throw, because what they exported has moved to a package of its own. */
const moved: ReadonlySet<string> = new Set(['@shallot/core/testing']);

const folder = mkdtempSync(join(tmpdir(), 'shallot-packed-'));
try {
  const packages = workspacePackages().filter(({ manifest }) => manifest.private !== true);
  const tarballs = new Map<string, string>();
  for (const one of packages) tarballs.set(one.manifest.name, await packPackage(one, folder));
  await Promise.all([
    lint([...tarballs.values()]),
    checkCoreSize(tarballs),
    checkInstalled(packages, tarballs),
  ]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function lint(tarballs: readonly string[]): Promise<void> {
  for (const tarball of tarballs) {
    await mustPass('publint', ['run', tarball, '--strict', '--pack', 'false']);
    await mustPass('attw', [tarball, '--profile', 'esm-only', '--no-emoji', '--no-color']);
  }
}

async function checkCoreSize(tarballs: ReadonlyMap<string, string>): Promise<void> {
  const project = await install('core', new Map([...tarballs].filter(([name]) => name === '@shallot/core')));
  const files = globSync('node_modules/**/*', { cwd: project }).map((file) => lstatSync(join(project, file)));
  const bytes = files.reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0);
  const lock = JSON.parse(readFileSync(join(project, 'node_modules', '.package-lock.json'), 'utf8')) as {
    packages: object;
  };
  const megabytes = bytes / 1_000_000;
  const packages = Object.keys(lock.packages).length;
  const size = `@shallot/core installs as ${megabytes.toFixed(2)} MB in ${packages} packages`;
  if (megabytes > coreLimits.megabytes || packages > coreLimits.packages) {
    throw new Error(`${size}; allowed are ${coreLimits.megabytes} MB and ${coreLimits.packages} packages`);
  }
  console.log(size);
}

async function checkInstalled(
  packages: readonly WorkspacePackage[],
  tarballs: ReadonlyMap<string, string>,
): Promise<void> {
  const project = await install('all', tarballs);
  const entries = packages.flatMap(({ manifest }) =>
    Object.keys(manifest.exports ?? {})
      .filter((subpath) => !subpath.endsWith('.json'))
      .map((subpath) => join(manifest.name, subpath))
      .filter((entry) => !moved.has(entry)),
  );
  const lines = entries.map((entry) => `console.log('${entry}', typeof (await import('${entry}')));`);
  writeFileSync(join(project, 'all.ts'), `${lines.join('\n')}\nexport {};\n`);
  await mustPass('node', ['all.ts'], { cwd: project });
  await checkTypes(project);
  for (const command of packages.flatMap(({ manifest }) => Object.keys(manifest.bin ?? {}))) {
    await mustPass(join(project, 'node_modules', '.bin', command), ['--help'], { cwd: project });
  }
}

/**
 * Type-checks a project with `skipLibCheck` off, so that our declarations are checked; faults in the declarations of
 * others are ignored.
 */
async function checkTypes(project: string): Promise<void> {
  writeFileSync(
    join(project, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: {
        strict: true,
        exactOptionalPropertyTypes: true,
        noEmit: true,
        module: 'nodenext',
        target: 'es2024',
        lib: ['es2024', 'esnext.disposable'],
        types: ['node'],
        typeRoots: [join(root, 'node_modules', '@types')],
        skipLibCheck: false,
      },
      files: ['all.ts'],
    }),
  );
  const { stdout } = await runToEnd('tsc', ['--pretty', 'false'], { cwd: project });
  const ours = stdout
    .split('\n')
    .filter((line) => /^(all\.ts|node_modules\/(@shallot\/|shallot\/))/.test(line));
  if (ours.length > 0) throw new Error(`The published declarations have errors:\n${ours.join('\n')}`);
}

async function install(name: string, tarballs: ReadonlyMap<string, string>): Promise<string> {
  const project = join(folder, name);
  mkdirSync(project);
  const dependencies = Object.fromEntries(
    [...tarballs].map(([dependency, path]) => [dependency, `file:${path}`]),
  );
  writeFileSync(
    join(project, 'package.json'),
    JSON.stringify({ private: true, type: 'module', dependencies }),
  );
  const flags = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  await mustPass('npm', ['install', ...flags], { cwd: project });
  return project;
}
