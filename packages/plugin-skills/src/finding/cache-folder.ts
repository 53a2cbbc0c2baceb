import { homedir } from 'node:os';
import { join } from 'node:path';

/** Returns the folder of the indexes of skills, below the one that a platform has for caches. */
export function cacheFolder(env = process.env, platform: NodeJS.Platform = process.platform): string {
  return join(cacheHome(env, platform), 'shallot', 'skills');
}

function cacheHome(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  if (platform === 'darwin') return join(homedir(), 'Library', 'Caches');
  if (platform === 'win32') return env['LOCALAPPDATA'] ?? join(homedir(), 'AppData', 'Local');
  // The XDG Base Directory Specification says to ignore relative paths.
  const named = env['XDG_CACHE_HOME'];
  return named?.startsWith('/') ? named : join(homedir(), '.cache');
}
