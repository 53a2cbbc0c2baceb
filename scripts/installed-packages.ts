import { existsSync, globSync, readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

interface InstalledManifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** Returns the sorted names of all packages in the `node_modules` of a folder, at any depth and in any layout. */
export function installedPackages(folder: string): string[] {
  const everywhere = ['node_modules/**/package.json', 'node_modules/.pnpm/**/package.json'];
  const manifests = globSync(everywhere, { cwd: folder }).filter((path) =>
    /(?:^|\/)node_modules\/(?:@[^/]+\/)?[^/@.][^/]*\/package\.json$/.test(path),
  );
  return [...new Set(manifests.map((path) => readManifest(join(folder, path)).name))].toSorted();
}

/**
 * Returns the sorted names of some packages and of all that they depend on, as they are installed. @throws if one is not
 */
export function packagesNeededBy(names: readonly string[], folder: string): string[] {
  const needed = new Set<string>();
  const visit = (name: string, from: string): void => {
    const directory = packageDirectory(name, from);
    if (directory === undefined) throw new Error(`${name}, which ${from} needs, is not installed`);
    if (needed.has(name)) return;
    needed.add(name);
    for (const each of Object.keys(readManifest(join(directory, 'package.json')).dependencies ?? {})) {
      visit(each, directory);
    }
  };
  for (const name of names) visit(name, folder);
  return [...needed].toSorted();
}

function packageDirectory(name: string, from: string): string | undefined {
  const folders = createRequire(join(from, 'index.js')).resolve.paths(name) ?? [];
  const found = folders.map((each) => join(each, name, 'package.json')).find((file) => existsSync(file));
  return found === undefined ? undefined : dirname(realpathSync(found));
}

function readManifest(file: string): InstalledManifest {
  // A package manager wrote this file, so it has this form.
  return JSON.parse(readFileSync(file, 'utf8')) as InstalledManifest;
}
