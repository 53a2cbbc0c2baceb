// Builds the package in the working directory into `dist`: every source that `exports` and `bin` name becomes a
// readable ESM bundle, and those in `exports` get declarations. Dependencies remain imports, except those that the
// manifest lists as `inlinedDependencies`.
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { rolldown, type OutputChunk } from 'rolldown';

import { builtInPage } from './built-in-page.ts';
import { groupChunks } from './group-chunks.ts';
import { loadLate } from './load-late.ts';
import { runToEnd } from './run-to-end.ts';
import { readPackage, root, workspacePackages, type WorkspacePackage } from './workspace.ts';

const target = readPackage(process.cwd());
const { name, dependencies, peerDependencies, inlinedDependencies = [] } = target.manifest;
const exported = Object.values(target.manifest.exports ?? {}).filter((path) => path.endsWith('.ts'));
const mainEntry = exported[0] === undefined ? undefined : join(target.folder, exported[0]);
const commands = Object.values(target.manifest.bin ?? {});
const program = commands[0] === undefined ? undefined : join(target.folder, commands[0]);
const dist = join(target.folder, 'dist');

rmSync(dist, { recursive: true, force: true });
const page = builtInPage();
const [chunks] = await Promise.all([bundleSources(), emitDeclarations()]);
checkInlined([...chunks.flatMap(({ moduleIds }) => moduleIds), ...page.modules]);

async function bundleSources(): Promise<OutputChunk[]> {
  const bundle = await rolldown({
    cwd: target.folder,
    input: Object.fromEntries([...exported, ...commands].map((path) => [entryName(path), path])),
    platform: 'node',
    transform: { target: 'node22' },
    // yaml exports its ES modules only under a condition that Node does not set; loading them costs a sixth as much as
    // loading the CommonJS ones.
    resolve: inlinedDependencies.includes('yaml')
      ? { alias: { yaml: fileOf('yaml', 'browser/index.js') } }
      : {},
    external: isExternal,
    plugins: [loadLate(), page],
  });
  const { output } = await bundle.write({
    dir: dist,
    format: 'esm',
    chunkFileNames: 'chunks/[name]-[hash].js',
    codeSplitting: groupChunks(mainEntry, program),
    // Not minified, and without source maps, so that the line of an uncaught error and the names in its stack can be
    // read. Minified code with maps was larger, and no faster to import.
    minify: false,
    // Editors read docstrings from the declarations.
    comments: { jsdoc: false },
  });
  return output.filter((file) => file.type === 'chunk');
}

/** Returns the path of an entry's bundle in `dist`, which is that of its source in `src`. */
function entryName(path: string): string {
  return path.replace(/^\.\/src\/|\.ts$/g, '');
}

function isExternal(id: string): boolean {
  return [name, ...Object.keys({ ...dependencies, ...peerDependencies })].some(
    (dependency) => id === dependency || id.startsWith(`${dependency}/`),
  );
}

function fileOf(dependency: string, path: string): string {
  return join(target.folder, 'node_modules', dependency, path);
}

async function emitDeclarations(): Promise<void> {
  if (exported.length === 0) return;
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
        outDir: dist,
        paths: builtDeclarations(),
      },
      include: [],
      files: exported.map((path) => join(target.folder, path)),
    }),
  );
  const { status, output } = await runToEnd('tsc', ['--project', config, '--pretty', 'false'], {
    cwd: target.folder,
  });
  if (status !== 0) throw new Error(`${name}: declarations could not be made\n${output}`);
  for (const file of globSync('**/*.d.ts', { cwd: dist })) importBuiltFiles(join(dist, file));
}

/**
 * Returns the paths to the built declarations of the other workspace packages, so that none of their sources are
 * compiled into this `dist`.
 */
function builtDeclarations(): Record<string, string[]> {
  const others = workspacePackages().filter((other) => other.manifest.name !== name);
  return Object.fromEntries(others.flatMap(publishedTypes));
}

function publishedTypes({ folder, manifest }: WorkspacePackage): [string, string[]][] {
  return Object.entries(manifest.publishConfig?.exports ?? {}).flatMap(([subpath, value]) =>
    typeof value === 'string' ? [] : [[join(manifest.name, subpath), [join(folder, value.types)]]],
  );
}

/**
 * Replaces `.ts` with `.js` in relative imports: `tsc` keeps `./order.ts` in declarations, but older compilers find
 * only `./order.js`.
 */
function importBuiltFiles(file: string): void {
  const text = readFileSync(file, 'utf8');
  writeFileSync(
    file,
    text.replace(/((?:from|import|declare module) ?\(?['"]\.{1,2}\/[^'"]+)\.ts(?=['"])/g, '$1.js'),
  );
}

/**
 * Throws unless the manifest lists exactly the packages whose code `dist` contains, and writes their licences into it:
 * inlining must be a decision, never an accident.
 */
function checkInlined(modules: readonly string[]): void {
  const folders = new Map<string, string>();
  for (const input of modules) {
    const [, folder, inlined] = /^(\/.*node_modules\/((?:@[^/]+\/)?[^/]+))\//.exec(input) ?? [];
    if (folder !== undefined && inlined !== undefined) folders.set(inlined, folder);
  }
  const found = [...folders.keys()].toSorted();
  const listed = inlinedDependencies.toSorted();
  if (found.join() !== listed.join()) {
    throw new Error(
      `${name}: dist holds the code of [${found.join(', ')}], but package.json lists [${listed.join(', ')}] as ` +
        'inlinedDependencies. Make it a dependency, or list it.',
    );
  }
  if (found.length === 0) return;
  const notices = found.map((inlined) => `${inlined}\n\n${licenceIn(folders.get(inlined) ?? '')}`);
  writeFileSync(join(dist, 'third-party-licenses.txt'), notices.join('\n\n----\n\n'));
}

function licenceIn(folder: string): string {
  const [file] = globSync('{LICENSE,LICENCE,license}*', { cwd: folder });
  if (file === undefined) throw new Error(`${folder} has no licence file to pass on`);
  return readFileSync(join(folder, file), 'utf8').trim();
}
