// The entry imports this file on any Node, even one that it refuses: what it needs is imported when it is called.

/**
 * Lets Node keep compiled code in the user's cache folder for the next start, of which compiling is a good part. Without a
 * folder that is the user's alone, nothing is kept: whoever can write there decides what is run. `NODE_COMPILE_CACHE`
 * and `NODE_DISABLE_COMPILE_CACHE` count as in every Node program.
 */
export function keepCompiledCode(): void {
  const { env, platform } = process;
  const path = process.getBuiltinModule('node:path');
  if (env['NODE_COMPILE_CACHE'] || env['NODE_DISABLE_COMPILE_CACHE']) return;
  const folder = ownFolder(path.join(cacheHome(env, platform), 'shallot', 'compiled'));
  // It never throws.
  if (folder !== undefined) process.getBuiltinModule('node:module').enableCompileCache(folder);
}

/** Where the platform wants caches to be. */
function cacheHome(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  const path = process.getBuiltinModule('node:path');
  const home = process.getBuiltinModule('node:os').homedir();
  if (platform === 'darwin') return path.join(home, 'Library', 'Caches');
  if (platform === 'win32') return env['LOCALAPPDATA'] ?? path.join(home, 'AppData', 'Local');
  // The specification has paths that are not absolute ignored.
  const named = env['XDG_CACHE_HOME'];
  return named?.startsWith('/') ? named : path.join(home, '.cache');
}

/** The folder, made where it is missing; undefined unless it is this user's and nobody else can write to it. */
function ownFolder(folder: string): string | undefined {
  const { mkdirSync, statSync } = process.getBuiltinModule('node:fs');
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { uid, mode } = statSync(folder);
    const isOwn = process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0);
    return isOwn ? folder : undefined;
  } catch {
    // A folder that cannot be made: the command starts as well without it.
    return undefined;
  }
}
