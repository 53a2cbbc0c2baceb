import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

/** An effect of a tree: the session of its root, and a label for the agent and tool that made it. */
export interface TreeEffect {
  readonly tree: string;
  readonly mark: string;
}

/** The time that a read waits while another process repairs the file after a killed one, in milliseconds. */
const patienceMs = 30_000;

/**
 * The effects of trees, in their own file. A writer reads the number of repeats when it begins. If a person decides
 * meanwhile that the effect is to be made again, the earlier writer is refused, however late it comes.
 */
export class TreeLedger {
  readonly #database: DatabaseSync;

  constructor(path: string) {
    this.#database = new DatabaseSync(path, { timeout: patienceMs });
    this.#database.exec('PRAGMA journal_mode = WAL');
    this.#database.exec('CREATE TABLE IF NOT EXISTS effects (tree TEXT, mark TEXT)');
    this.#database.exec(
      'CREATE TABLE IF NOT EXISTS repeats (tree TEXT, mark TEXT, times INTEGER, PRIMARY KEY (tree, mark))',
    );
  }

  /** Returns how many times it was decided that an effect is to be made again. */
  repeats({ tree, mark }: TreeEffect): number {
    const found = this.#database
      .prepare('SELECT times FROM repeats WHERE tree = ? AND mark = ?')
      .get(tree, mark);
    return Number(found?.['times'] ?? 0);
  }

  /** Makes an effect, unless it was decided that it is to be made again after `repeats` was read. */
  async make({ tree, mark }: TreeEffect, repeats: number): Promise<void> {
    await this.#inTransaction(() => {
      if (this.repeats({ tree, mark }) !== repeats) return;
      this.#database.prepare('INSERT INTO effects VALUES (?, ?)').run(tree, mark);
    });
  }

  /** Returns true if the effect was made. Otherwise only writers that begin from now on can make it. */
  wasMade({ tree, mark }: TreeEffect): Promise<boolean> {
    return this.#inTransaction(() => {
      if (this.effectsOf(tree).includes(mark)) return true;
      this.#database
        .prepare('INSERT INTO repeats VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET times = times + 1')
        .run(tree, mark);
      return false;
    });
  }

  /** Returns the labels of a tree's effects, sorted. */
  effectsOf(tree: string): string[] {
    const found = this.#database.prepare('SELECT mark FROM effects WHERE tree = ? ORDER BY mark').all(tree);
    return found.map(({ mark }) => String(mark));
  }

  close(): void {
    this.#database.close();
  }

  /**
   * Waits for the lock without blocking the process: the process that has the lock may be suspended until this one
   * wakes it.
   */
  async #inTransaction<T>(act: () => T): Promise<T> {
    while (!this.#begins()) await sleep(20);
    try {
      return act();
    } finally {
      this.#database.exec('COMMIT');
    }
  }

  #begins(): boolean {
    this.#database.exec('PRAGMA busy_timeout = 0');
    try {
      this.#database.exec('BEGIN IMMEDIATE');
      return true;
    } catch (error) {
      if (error instanceof Error && error.message === 'database is locked') return false;
      throw error;
    } finally {
      this.#database.exec(`PRAGMA busy_timeout = ${patienceMs}`);
    }
  }
}
