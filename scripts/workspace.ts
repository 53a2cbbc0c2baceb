import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The repository's root folder. */
export const root: string = dirname(import.meta.dirname);

/** The members of a package.json that the scripts read. */
export interface Manifest {
  readonly name: string;
  readonly version?: string;
  readonly private?: boolean;
  readonly bin?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, string>>;
  readonly publishConfig?: {
    readonly exports?: Readonly<Record<string, string | { readonly types: string }>>;
  };
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  /** Development dependencies that the build puts into `dist`, so that the installed package does not need them. */
  readonly inlinedDependencies?: readonly string[];
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** A package of the workspace: its folder, as an absolute path, and its manifest. */
export interface WorkspacePackage {
  readonly folder: string;
  readonly manifest: Manifest;
}

/** Returns all packages under `packages` and `examples`, sorted by path. */
export function workspacePackages(): WorkspacePackage[] {
  return globSync('{packages,examples}/*/package.json', { cwd: root })
    .toSorted()
    .map((path) => readPackage(join(root, dirname(path))));
}

/** Reads the package in a folder. @throws if it has no package.json */
export function readPackage(folder: string): WorkspacePackage {
  const manifest = join(folder, 'package.json');
  if (!existsSync(manifest)) throw new Error(`${folder} has no package.json`);
  return { folder, manifest: JSON.parse(readFileSync(manifest, 'utf8')) as Manifest };
}
