import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { sqliteStore } from '@shallot/core/sqlite';
import { submitRun } from '@shallot/core/work';
import { afterAll, expect, onTestFinished, test } from 'vitest';

import { openStore } from '../test/open-store.ts';
import { hasPrograms } from '../test/postgres-programs.ts';
import { freePort, query, startPostgres } from '../test/postgres-server.ts';
import type { PostgresStore } from './index.ts';

// The programs that dump refuse a server that is newer than they are.
const server = await startPostgres(15);
afterAll(() => server.stop());

const root = fileURLToPath(new URL('../../..', import.meta.url));
const text = ['scale-out', 'operate']
  .map((name) => readFileSync(join(root, 'docs/guides', `${name}.md`), 'utf8'))
  .join('\n');
const fencesOf = (kind: string): string[] =>
  Array.from(text.matchAll(new RegExp(`^\`\`\`${kind}\n(.*?)^\`\`\``, 'gms')), ([, body = '']) => body);
const [config = '', keep = ''] = fencesOf('yaml');

interface Ended {
  readonly status: number | null;
  readonly output: string;
}

/** A project as the guides describe it. */
interface Project {
  readonly url: string;
  readonly folder: string;
  readonly store: PostgresStore;
  /** Executes commands as a user types them, and leaves what they leave in the background. */
  shell(commands: string): Promise<Ended>;
  /** Stops what commands have left in the background. */
  stop(): void;
  /** Executes a worker until this resolves, and stops it as a service is stopped. */
  whileWorking(command: string, work: () => Promise<unknown>): Promise<void>;
}

async function openProject(): Promise<Project> {
  const folder = mkdtempSync(join(tmpdir(), 'shallot-guides-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const bin = join(folder, 'node_modules', '.bin');
  mkdirSync(join(folder, 'node_modules', '@shallot'), { recursive: true });
  mkdirSync(bin);
  for (const name of ['core', 'store-postgres'])
    symlinkSync(join(root, 'packages', name), join(folder, 'node_modules', '@shallot', name), 'dir');
  const shallot = `exec "${process.execPath}" "${join(root, 'packages/cli/src/main.ts')}" "$@"\n`;
  const programs = { shallot, npx: `shift\n${shallot}`, npm: 'exit 0\n' };
  for (const [name, body] of Object.entries(programs))
    writeFileSync(join(bin, name), `#!/bin/sh\n${body}`, { mode: 0o755 });
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'shallot.config.yaml'), config);
  const url = await server.newDatabase();
  const env = { ...process.env, DATABASE_URL: url, PATH: `${bin}:${process.env['PATH']}` };
  const groups: (number | undefined)[] = [];
  const start = (commands: string) => {
    const child = spawn('sh', ['-c', commands], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    groups.push(child.pid);
    onTestFinished(() => end(child.pid, 'SIGKILL'));
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (more: string) => (output += more));
    return {
      child,
      ended: once(child, 'exit').then(([status]): Ended => ({ status: status as number | null, output })),
    };
  };
  return {
    url,
    folder,
    store: openStore({ url, retryMs: 15_000 }),
    shell: (commands) => start(commands).ended,
    stop() {
      for (const group of groups) end(group, 'SIGTERM');
    },
    async whileWorking(command, work) {
      const { child, ended } = start(`exec ${command}`);
      await work();
      end(child.pid, 'SIGTERM');
      expect(await ended).toMatchObject({ status: 0 });
    },
  };
}

/** Ends a shell with what it has left in the background. */
function end(group: number | undefined, signal: NodeJS.Signals): void {
  try {
    if (group !== undefined) process.kill(-group, signal);
  } catch {
    // Nothing is left.
  }
}

async function statusOf({ store }: Project, sessionId: string): Promise<string | undefined> {
  for await (const { status } of store.list({ id: sessionId })) return status;
  return undefined;
}

/** Parks the run of a session, as workers do. */
async function park({ store }: Project, sessionId: string): Promise<void> {
  await submitRun(store, sessionId, 'Hello', { agent: 'reports' });
  const record = await store.load(sessionId);
  if (record?.run === undefined) throw new Error('The run is gone.');
  const failure = { code: 'RUN_STUCK', message: 'It was tried too often.' } as const;
  await store.commit(sessionId, record.revision, { run: { ...record.run, parked: true, failure } });
}

type Check = (project: Project, commands: string) => Promise<void>;

/** The fences with commands, by their first words, in the order in which a reader executes them. */
const fences: Readonly<Record<string, Check>> = {
  async 'npm install'(project, commands) {
    const [, packages = ''] = /^npm install (.*)$/m.exec(commands) ?? [];
    const manifest = readFileSync(join(root, 'packages/store-postgres/package.json'), 'utf8');
    for (const name of packages.split(' ')) expect(manifest).toContain(`"${name}"`);
    const [, url = ''] = /^export DATABASE_URL=(.*)$/m.exec(commands) ?? [];
    expect(new URL(url).protocol).toBe('postgres:');
    const { status, output } = await project.shell(commands.replace(/^export .*$/m, ''));
    expect(status).toBe(0);
    const [, sessionId = ''] = /^(session_\S+|[\w-]{20,})$/m.exec(output) ?? [];
    expect(output).toContain(`${sessionId} `);
    await expect.poll(() => statusOf(project, sessionId), { timeout: 60_000 }).toBe('completed');
  },
  async '0 6 * *'(project, commands) {
    // Cron itself reads the times and the backslash.
    const line = commands.replace(/^(\S+ ){5} *cd \S+ && /, '').replaceAll(String.raw`\%`, '%');
    expect(await project.shell(line)).toMatchObject({ status: 0 });
    const sessionId = `report-${new Date().toLocaleDateString('sv')}`;
    await expect.poll(() => statusOf(project, sessionId), { timeout: 60_000 }).toBe('completed');
  },
  async 'npx shallot store stats'(project, commands) {
    // Nobody is to take what waits.
    project.stop();
    await submitRun(project.store, 'waits', 'Hello', { agent: 'support', owner: 'ann' });
    await park(project, 'parked');
    const { status, output } = await project.shell(commands);
    expect(status).toBe(0);
    const lines = output.trim().split('\n');
    expect(lines[0]).toMatch(/^sessions {2}\d+ \(completed \d+, .*\)$/);
    expect(output).toMatch(/^waiting {3}1 for support of ann, the oldest for \d+ s$/m);
    expect(output).toMatch(/^parked {4}1 with RUN_STUCK$/m);
    const shown = fencesOf('text')[0] ?? '';
    for (const line of lines) expect(shown).toContain(line.slice(0, 10));
  },
  async 'npx shallot sessions --status'(project, commands) {
    const { status, output } = await project.shell(commands.replace(' ID', ' parked'));
    expect({ status, output }).toMatchObject({
      status: 0,
      output: expect.stringContaining('RUN_STUCK') as string,
    });
    expect(await statusOf(project, 'parked')).toBe('completed');
  },
  async 'npx shallot store migrate'(project, commands) {
    for (const role of ['agent_worker', 'web', 'dashboard']) await query(project.url, `CREATE ROLE ${role}`);
    expect(await project.shell(`set -e\n${commands}`)).toMatchObject({ status: 0 });
    const may = (role: string, right: string): string =>
      `has_table_privilege('${role}', 'shallot.sessions', '${right}')`;
    const rights = `SELECT ${may('agent_worker', 'INSERT')} AS work, ${may('web', 'INSERT')} AS submit,
      ${may('dashboard', 'SELECT')} AND NOT ${may('dashboard', 'INSERT')} AS read`;
    expect(await query(project.url, rights)).toEqual([{ work: true, submit: true, read: true }]);
  },
  async pg_dump(project, commands) {
    expect(await project.shell(commands)).toMatchObject({ status: 0 });
    await submitRun(project.store, 'later', 'Hello', { agent: 'support' });
  },
  async pg_restore(project, commands) {
    expect(await project.shell(`set -e\n${commands}`)).toMatchObject({ status: 0 });
    expect(await project.store.load('later')).toBeUndefined();
    expect(await statusOf(project, 'parked')).toBe('completed');
  },
  async 'npx shallot sessions prune'(project, commands) {
    const old = `UPDATE shallot.sessions SET updated_at = now() - interval '91 days' WHERE session = 'parked'`;
    await query(project.url, old);
    expect(await project.shell(commands)).toMatchObject({ status: 0 });
    expect(await project.store.load('parked')).toBeUndefined();
    expect(await project.store.load('waits')).toBeDefined();
  },
};

/** The commands within sentences. */
const inline: Readonly<Record<string, Check>> = {
  async 'npx shallot pending'(project, command) {
    expect(await project.shell(command)).toMatchObject({ status: 0 });
  },
  async 'shallot worker --versions same'(project, command) {
    const sessionId = 'of ann';
    await submitRun(project.store, sessionId, 'Hello', { agent: 'reports', owner: 'ann' });
    await project.whileWorking(`${command} --owner ann`, () =>
      expect.poll(() => statusOf(project, sessionId), { timeout: 60_000 }).toBe('completed'),
    );
  },
  async 'shallot resume --take-over'(project, command) {
    const sessionId = 'of another';
    await submitRun(project.store, sessionId, 'Hello', { agent: 'support' });
    const refused = { status: 2, output: expect.stringContaining('RUN_OF_ANOTHER_AGENT') as string };
    expect(await project.shell(`shallot resume "${sessionId}"`)).toMatchObject(refused);
    expect(await project.shell(`${command} "${sessionId}"`)).toMatchObject({ status: 0 });
    expect(await statusOf(project, sessionId)).toBe('completed');
  },
  async 'shallot worker --health 8080'(project, command) {
    // The retention of the guide is in the config, too.
    appendFileSync(join(project.folder, 'shallot.config.yaml'), keep);
    const port = await freePort();
    const healthOf = async (): Promise<number> => (await fetch(`http://127.0.0.1:${port}`)).status;
    await project.whileWorking(command.replace('8080', String(port)), () =>
      expect.poll(() => healthOf().catch(() => 0), { timeout: 60_000 }).toBe(200),
    );
  },
  async 'shallot store copy .shallot/sessions.db shallot.config.yaml'(project, command) {
    mkdirSync(join(project.folder, '.shallot'), { recursive: true });
    const from = sqliteStore(join(project.folder, '.shallot/sessions.db'));
    await submitRun(from, 'moved', 'Hello', { agent: 'support' });
    await from.close?.();
    const copied = expect.stringContaining('Copied and compared 1 session.') as string;
    expect(await project.shell(command)).toMatchObject({ status: 0, output: copied });
    expect(await statusOf(project, 'moved')).toBe('running');
  },
};

/** Commands that other fences contain, or that only name what is described elsewhere. */
const named = [
  'shallot worker',
  'shallot resume',
  'shallot sessions --status parked',
  'shallot store migrate',
  'shallot store copy',
  'shallot store stats',
];

// The commands are those of a shell.
test.skipIf(process.platform === 'win32')(
  'every command of the guides to scale and operate does what they say',
  { timeout: 15 * 60_000 },
  async () => {
    const found = fencesOf('sh');
    const checks = found.map((commands) =>
      Object.entries(fences).find(([begin]) => commands.startsWith(begin)),
    );
    expect(checks.map((check) => check?.[0])).toEqual(Object.keys(fences));
    const sentences = text.replaceAll(/^```.*?^```$/gms, '').replaceAll(/\s+/g, ' ');
    const commands = new Set(
      Array.from(sentences.matchAll(/`((?:npx )?shallot [^`]+)`/g), ([, command = '']) => command),
    );
    expect([...commands].toSorted()).toEqual([...Object.keys(inline), ...named].toSorted());

    const project = await openProject();
    for (const [index, check] of checks.entries()) {
      const body = found[index] ?? '';
      if (/\b(?:psql|pg_\w+) /.test(body) && !hasPrograms) continue;
      await check?.[1](project, body);
    }
    for (const [command, check] of Object.entries(inline)) await check(project, command);
  },
);
