// Builds the package in the working directory into `dist`: every source that `exports` and `bin` name becomes an
// ESM bundle (shared code in chunks), with source maps and declarations. Dependencies stay imports.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join, relative } from 'node:path';

import { build, type Metafile } from 'esbuild';

import { runToEnd } from './run-to-end.ts';
import { readPackage, root, workspacePackages, type WorkspacePackage } from './workspace.ts';

const target = readPackage(process.cwd());
const entries = [
  ...Object.values(target.manifest.exports ?? {}),
  ...Object.values(target.manifest.bin ?? {}),
].filter((path) => path.endsWith('.ts'));
if (entries.length === 0)
  throw new Error(`${target.manifest.name}: neither "exports" nor "bin" names a .ts source`);

rmSync(join(target.folder, 'dist'), { recursive: true, force: true });
const [{ metafile }] = await Promise.all([bundle(), emitDeclarations()]);
checkImports(metafile);

function bundle(): Promise<{ metafile: Metafile }> {
  return build({
    entryPoints: entries,
    outbase: 'src',
    outdir: 'dist',
    bundle: true,
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    format: 'esm',
    platform: 'node',
    target: 'node22',
    packages: 'external',
    sourcemap: true,
    metafile: true,
    logLevel: 'warning',
  });
}

async function emitDeclarations(): Promise<void> {
  const folder = join(target.folder, 'node_modules', '.cache');
  const config = join(folder, 'tsconfig.declarations.json');
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    config,
    JSON.stringify({
      extends: join(root, 'tsconfig.json'),
      compilerOptions: {
        noEmit: false,
        declaration: true,
        emitDeclarationOnly: true,
        rootDir: join(target.folder, 'src'),
        outDir: join(target.folder, 'dist'),
        paths: builtDeclarations(),
      },
      include: [],
      files: entries.map((path) => join(target.folder, path)),
    }),
  );
  const { status, output } = await runToEnd('tsc', ['--project', config, '--pretty', 'false'], {
    cwd: target.folder,
  });
  if (status !== 0) throw new Error(`${target.manifest.name}: declarations could not be made\n${output}`);
}

/** Other packages of the workspace are seen as they are published, so that none of their sources land in this `dist`. */
function builtDeclarations(): Record<string, string[]> {
  const others = workspacePackages().filter((other) => other.manifest.name !== target.manifest.name);
  return Object.fromEntries(others.flatMap(publishedTypes));
}

function publishedTypes({ folder, manifest }: WorkspacePackage): [string, string[]][] {
  return Object.entries(manifest.publishConfig?.exports ?? {}).flatMap(([subpath, value]) =>
    typeof value === 'string' ? [] : [[join(manifest.name, subpath), [join(folder, value.types)]]],
  );
}

/** An import that no dependency provides works in the workspace and breaks for whoever installs the package. */
function checkImports(metafile: Metafile): void {
  const { name, dependencies, peerDependencies } = target.manifest;
  const provided = new Set([name, ...Object.keys({ ...dependencies, ...peerDependencies })]);
  const missing = Object.entries(metafile.outputs).flatMap(([output, { imports }]) =>
    imports
      .filter(
        ({ external, path }) => external === true && !isBuiltin(path) && !provided.has(packageName(path)),
      )
      .map(({ path }) => `${relative(target.folder, output)} imports "${path}"`),
  );
  if (missing.length === 0) return;
  throw new Error(
    `${name}: imports that are in neither dependencies nor peerDependencies:\n  ${missing.join('\n  ')}`,
  );
}

function isBuiltin(path: string): boolean {
  return path.startsWith('node:') || builtinModules.includes(path);
}

function packageName(path: string): string {
  return path.split('/', path.startsWith('@') ? 2 : 1).join('/');
}
