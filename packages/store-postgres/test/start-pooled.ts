import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { freePort, query, serverUser, startPostgres, type PostgresServer } from './postgres-server.ts';

/** A server behind a transaction pooler. */
export interface PooledPostgres {
  readonly server: PostgresServer;
  /** Returns the URL of the server through the pooler, for a URL of the server itself. */
  through(url: string): string;
  stop(): Promise<void>;
}

/**
 * Starts a server and PgBouncer. If that is not installed, reports that the tests which need it are skipped, and
 * returns undefined.
 */
export async function startPooled(): Promise<PooledPostgres | undefined> {
  const program = locate();
  if (program === undefined) {
    process.stderr.write('PgBouncer is not installed: what needs a transaction pooler was left out.\n');
    return undefined;
  }
  const server = await startPostgres(18);
  const pooler = await startPooler(program, server.url);
  return {
    server,
    through: pooler.through,
    async stop() {
      await pooler.stop();
      await server.stop();
    },
  };
}

function locate(): string | undefined {
  const inPath = spawnSync('pgbouncer', ['--version']).status === 0 ? 'pgbouncer' : undefined;
  return inPath ?? ['/usr/sbin/pgbouncer'].find((path) => existsSync(path));
}

/**
 * Starts PgBouncer in front of a server. Each transaction may use another connection, so statements that were prepared
 * on one may be unknown on the next.
 */
async function startPooler(program: string, serverUrl: string): Promise<Omit<PooledPostgres, 'server'>> {
  const folder = mkdtempSync(join(tmpdir(), 'shallot-pooler-'));
  const port = await freePort();
  const config = join(folder, 'pgbouncer.ini');
  writeFileSync(
    config,
    `[databases]
* = host=127.0.0.1 port=${new URL(serverUrl).port} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 8
max_client_conn = 500
${keepsStatements(program) ? 'max_prepared_statements = 0\n' : ''}`,
  );
  const user = serverUser();
  if (user !== undefined) for (const path of [folder, config]) chownSync(path, user.uid, user.gid);
  const pooler = spawn(program, ['-q', config], { ...user, stdio: 'ignore' });
  const through = (url: string): string => {
    const own = new URL(url);
    own.port = String(port);
    return String(own);
  };
  while (!(await answers(through(serverUrl)))) {
    if (pooler.exitCode !== null) throw new Error(`PgBouncer ended with status ${pooler.exitCode}.`);
    await sleep(20);
  }
  return {
    through,
    async stop() {
      const exited = once(pooler, 'exit');
      pooler.kill('SIGKILL');
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Returns true for versions from 1.21 on, which track prepared statements across connections unless they are configured
 * not to.
 */
function keepsStatements(program: string): boolean {
  const { stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' });
  const [, major = '1', minor = '0'] = /(\d+)\.(\d+)/.exec(stdout) ?? [];
  return Number(major) > 1 || Number(minor) >= 21;
}

async function answers(url: string): Promise<boolean> {
  try {
    await query(url, 'SELECT 1');
    return true;
  } catch {
    // The pooler is still starting.
    return false;
  }
}
