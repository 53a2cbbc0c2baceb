// The entry imports this file on any version of Node, even unsupported ones, so it imports everything else lazily.

/** An installed package. */
export interface Installed {
  /** The package's real directory. */
  readonly directory: string;
  readonly manifest: { readonly version?: unknown; readonly bin?: unknown };
}

/**
 * Finds the command installed in a project: the file to run instead of this one; undefined if it is this one, or there
 * is none. The project is that of `--config`, else that of the working directory.
 */
export function projectCommand(args: readonly string[], cwd: string): string | undefined {
  const installed = nearestInstalled('shallot', projectDirectory(args, cwd));
  if (installed === undefined || installed.directory === ownDirectory()) return undefined;
  const { bin } = installed.manifest;
  const file = typeof bin === 'object' && bin !== null && 'shallot' in bin ? bin.shallot : bin;
  if (typeof file !== 'string') return undefined;
  return process.getBuiltinModule('node:path').join(installed.directory, file);
}

/** Returns the directory where the search for a project's packages starts. */
export function projectDirectory(args: readonly string[], cwd: string): string {
  const path = process.getBuiltinModule('node:path');
  const at = args.findIndex((arg) => /^(?:-c|--config)(?:=|$)/.test(arg));
  const named = /=(.*)/.exec(args[at] ?? '')?.[1] ?? args[at + 1];
  // `inspect --config` may have no path after it.
  if (at === -1 || named === undefined || named.startsWith('-')) return cwd;
  return path.dirname(path.resolve(cwd, named));
}

/**
 * Finds a package in the nearest `node_modules` above; undefined if there is none. Skips packages that another user may
 * have placed in a shared directory, because they would be run.
 */
export function nearestInstalled(
  name: string,
  start: string,
  user = process.geteuid?.(),
): Installed | undefined {
  const { existsSync, realpathSync } = process.getBuiltinModule('node:fs');
  const path = process.getBuiltinModule('node:path');
  for (let current = start; ; current = path.dirname(current)) {
    const file = path.join(current, 'node_modules', name, 'package.json');
    const manifest = existsSync(file) && isTrusted(file, start, user) ? readManifest(file) : undefined;
    if (manifest !== undefined) return { directory: path.dirname(realpathSync.native(file)), manifest };
    if (path.dirname(current) === current) return undefined;
  }
}

function readManifest(file: string): Installed['manifest'] | undefined {
  const { readFileSync } = process.getBuiltinModule('node:fs');
  try {
    // The file comes from a package manager, so it has this shape.
    return JSON.parse(readFileSync(file, 'utf8')) as Installed['manifest'];
  } catch {
    // Unreadable packages count as not installed; an import reports the reason.
    return undefined;
  }
}

/** Returns the real directory of the package that contains this file. */
export function ownDirectory(): string {
  const { realpathSync } = process.getBuiltinModule('node:fs');
  const { fileURLToPath } = process.getBuiltinModule('node:url');
  // Bundles are at different depths in `dist`.
  return nearestManifest(realpathSync.native(fileURLToPath(import.meta.url)));
}

function nearestManifest(file: string): string {
  const { existsSync } = process.getBuiltinModule('node:fs');
  const path = process.getBuiltinModule('node:path');
  const directory = path.dirname(file);
  return existsSync(path.join(directory, 'package.json')) ? directory : nearestManifest(directory);
}

function isTrusted(file: string, start: string, user: number | undefined): boolean {
  if (user === undefined) return true;
  const { existsSync, statSync } = process.getBuiltinModule('node:fs');
  const owners = [user, 0, ...(existsSync(start) ? [statSync(start).uid] : [])];
  return owners.includes(statSync(file).uid);
}
