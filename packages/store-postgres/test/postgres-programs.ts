import { spawnSync } from 'node:child_process';

const programs = ['pg_dump', 'pg_restore', 'psql'];

const isInstalled = (program: string): boolean =>
  / 1[5-9]\./.test(spawnSync(program, ['--version'], { encoding: 'utf8' }).stdout ?? '');

/**
 * True if a shell and the programs of PostgreSQL 15 or later are installed. The packages with the server's binaries do
 * not contain these programs.
 */
export const hasPrograms = process.platform !== 'win32' && programs.every(isInstalled);
if (!hasPrograms) process.stderr.write('pg_dump is not installed: what needs it was left out.\n');
