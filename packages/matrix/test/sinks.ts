// Searches everything that was stored or sent for values that an agent had to redact.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { sqliteStore } from '@shallot/core/sqlite';

import { kept, playSinks, type Scenario } from './sinks-scenario.ts';

/** The places that must not contain any of the values. */
export const sinks = [
  'database',
  'log of the database',
  'free pages',
  'kept files',
  'history',
  'log',
  'trace',
  'events',
  'errors',
  'telemetry',
] as const;

type Sink = (typeof sinks)[number];

/** The sinks in which a value was found, with the sources of the values. */
export type Leaks = ReadonlyMap<Sink, ReadonlySet<string>>;

const anyValue = /([a-z]+)@raw-[a-z]+/g;

/** Plays the scenario. Searches the database after each commit, and everything at the end. */
export async function leaksOf(
  scenario: Scenario,
): Promise<{ readonly leaks: Leaks; readonly commits: number }> {
  return inFolder(async (folder) => {
    const found = new Found();
    let commits = 0;
    await playSinks(folder, scenario, (when) => {
      if (when === 'before') commits += 1;
      else found.lookIntoDatabase(folder);
    });
    await found.lookEverywhere(folder);
    return { leaks: found.leaks, commits };
  });
}

/** The commit before or after which a process is killed. */
export type Kill = readonly [at: 'before' | 'after', commit: number];

/** Plays the scenario in a process that is killed at a commit, and searches everything that it left behind. */
export async function leaksOfKilled(scenario: Scenario, [at, commit]: Kill): Promise<Leaks> {
  return inFolder(async (folder) => {
    const args = ['--no-warnings', program, folder, JSON.stringify(scenario), at, String(commit)];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] });
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
    if (signal !== 'SIGKILL')
      throw new Error(`the process was not killed ${at} ${commit}: it ended with ${code}`);
    const found = new Found();
    await found.lookEverywhere(folder);
    return found.leaks;
  });
}

const program = fileURLToPath(new URL('programs/killed-sinks.ts', import.meta.url));

async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'shallot-sinks-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

class Found {
  readonly leaks = new Map<Sink, Set<string>>();

  #look(sink: Sink, text: string): void {
    for (const [, source = ''] of text.matchAll(anyValue)) {
      const found = this.leaks.get(sink) ?? new Set();
      this.leaks.set(sink, found.add(source));
    }
  }

  lookIntoDatabase(folder: string): void {
    const database = join(folder, kept.database);
    this.#look('database', read(database));
    this.#look('log of the database', read(`${database}-wal`));
  }

  async lookEverywhere(folder: string): Promise<void> {
    const database = join(folder, kept.database);
    this.lookIntoDatabase(folder);
    const store = sqliteStore(database);
    const record = await store.load('s');
    this.#look('errors', JSON.stringify(record?.run?.failure) ?? '');
    // Closing the store writes the database's log into the database.
    await store.close?.();
    this.lookIntoDatabase(folder);
    const again = sqliteStore(database);
    await again.delete('s');
    await again.close?.();
    this.#look('free pages', read(database));
    for (const [name, text] of filesIn(join(folder, kept.files)))
      this.#look(name.includes('conversation_history') ? 'history' : 'kept files', text);
    this.#look('log', read(join(folder, kept.log)));
    this.#look('trace', read(join(folder, kept.trace)));
    this.#look('events', read(join(folder, kept.events)));
    this.#look('telemetry', read(join(folder, kept.spans)));
  }
}

function read(path: string): string {
  return existsSync(path) ? readFileSync(path, 'latin1') : '';
}

function filesIn(folder: string): (readonly [name: string, text: string])[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isFile() ? [[name, read(path)] as const] : [];
  });
}
