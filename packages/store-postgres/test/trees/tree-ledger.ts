import { DatabaseSync } from 'node:sqlite';

/** One effect of a tree: the session of its root, and the agent and tool that made it. */
export interface TreeEffect {
  readonly tree: string;
  readonly mark: string;
}

/**
 * The effects of trees, in a file of their own. A writer says when it began: once somebody has answered that an effect is to be
 * made again, the one who was asked about is refused, however late it comes.
 */
export class TreeLedger {
  readonly #database: DatabaseSync;

  constructor(path: string) {
    this.#database = new DatabaseSync(path, { timeout: 30_000 });
    this.#database.exec('PRAGMA journal_mode = WAL');
    this.#database.exec('CREATE TABLE IF NOT EXISTS effects (tree TEXT, mark TEXT)');
    this.#database.exec(
      'CREATE TABLE IF NOT EXISTS repeats (tree TEXT, mark TEXT, times INTEGER, PRIMARY KEY (tree, mark))',
    );
  }

  /** Returns how often an effect was to be made again. */
  repeats({ tree, mark }: TreeEffect): number {
    const found = this.#database
      .prepare('SELECT times FROM repeats WHERE tree = ? AND mark = ?')
      .get(tree, mark);
    return Number(found?.['times'] ?? 0);
  }

  /** Makes an effect, unless it is to be made again since `repeats` was read. */
  make({ tree, mark }: TreeEffect, repeats: number): void {
    this.#inTransaction(() => {
      if (this.repeats({ tree, mark }) !== repeats) return;
      this.#database.prepare('INSERT INTO effects VALUES (?, ?)').run(tree, mark);
    });
  }

  /** Returns true if the effect was made; else only those who begin from now on make it. */
  wasMade({ tree, mark }: TreeEffect): boolean {
    return this.#inTransaction(() => {
      if (this.effectsOf(tree).includes(mark)) return true;
      this.#database
        .prepare('INSERT INTO repeats VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET times = times + 1')
        .run(tree, mark);
      return false;
    });
  }

  /** Returns the marks of the effects of a tree, sorted. */
  effectsOf(tree: string): string[] {
    const found = this.#database.prepare('SELECT mark FROM effects WHERE tree = ? ORDER BY mark').all(tree);
    return found.map(({ mark }) => String(mark));
  }

  close(): void {
    this.#database.close();
  }

  #inTransaction<T>(act: () => T): T {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      return act();
    } finally {
      this.#database.exec('COMMIT');
    }
  }
}
