import { spawnSync } from 'node:child_process';

const programs = ['pg_dump', 'pg_restore', 'psql'];

const isInstalled = (program: string): boolean =>
  / 1[5-9]\./.test(spawnSync(program, ['--version'], { encoding: 'utf8' }).stdout ?? '');

/** True if there are a shell and the programs of PostgreSQL 15 or later, which the packages of the server's binaries lack. */
export const hasPrograms = process.platform !== 'win32' && programs.every(isInstalled);
if (!hasPrograms) process.stderr.write('pg_dump is not installed: what needs it was left out.\n');
