// The entry imports this file on any version of Node, even unsupported ones, so it imports everything else lazily.

/**
 * Enables Node's compile cache in the user's cache folder, since compiling takes much of the start. The folder must
 * belong to the user alone, because anyone who can write there controls the executed code; otherwise the cache stays
 * off. `NODE_COMPILE_CACHE` and `NODE_DISABLE_COMPILE_CACHE` apply as usual.
 */
export function keepCompiledCode(): void {
  const { env, platform } = process;
  const path = process.getBuiltinModule('node:path');
  if (env['NODE_COMPILE_CACHE'] || env['NODE_DISABLE_COMPILE_CACHE']) return;
  const folder = ownFolder(path.join(cacheHome(env, platform), 'shallot', 'compiled'));
  // `enableCompileCache` never throws.
  if (folder !== undefined) process.getBuiltinModule('node:module').enableCompileCache(folder);
}

/** Returns the cache folder of a platform. */
export function cacheHome(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  const path = process.getBuiltinModule('node:path');
  const home = process.getBuiltinModule('node:os').homedir();
  if (platform === 'darwin') return path.join(home, 'Library', 'Caches');
  if (platform === 'win32') return env['LOCALAPPDATA'] ?? path.join(home, 'AppData', 'Local');
  // The specification says to ignore relative paths.
  const named = env['XDG_CACHE_HOME'];
  return named?.startsWith('/') ? named : path.join(home, '.cache');
}

/**
 * Returns the folder, created if it is missing; undefined if that fails, or if the system has user ids and the folder
 * belongs to another user or others can write to it.
 */
function ownFolder(folder: string): string | undefined {
  const { statSync } = process.getBuiltinModule('node:fs');
  try {
    makeFolder(folder);
    const { uid, mode } = statSync(folder);
    const isOwn = process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0);
    return isOwn ? folder : undefined;
  } catch {
    // The command also works without the cache.
    return undefined;
  }
}

/**
 * Creates a folder and those above it one by one, because Node's recursive option never returns if the system refuses
 * every folder, as in `/proc`.
 */
function makeFolder(folder: string): void {
  const { existsSync, mkdirSync } = process.getBuiltinModule('node:fs');
  if (existsSync(folder)) return;
  makeFolder(process.getBuiltinModule('node:path').dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process may have made it.
    if (!existsSync(folder)) throw error;
  }
}
