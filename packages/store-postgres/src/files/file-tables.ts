import { joinPath, notADirectory, notAFile, splitPath } from '@shallot/core/files';
import { perKey } from '@shallot/core/plugin';
import type { PoolClient } from 'pg';

import type { Database } from '../database/database.ts';
import { digestOf } from '../sessions/commit-session.ts';
import { firstAfter } from '../sessions/list-sessions.ts';

/** Files are stored in parts. Appended bytes go into the last part while it is smaller than this, in bytes. */
const partBytes = 65_536;

/** A file without its content. */
export interface FileRow extends Record<string, unknown> {
  readonly revision: string;
  readonly size: number;
}

/** The tables of files: queries, and changes within transactions. */
export class FileTables {
  readonly #database: Database;
  readonly #schema: string;
  /** Serializes changes of one file in the order of the calls. */
  readonly #inTurn = perKey();

  constructor(database: Database) {
    this.#database = database;
    this.#schema = database.schema;
  }

  /** Returns the row of a file; undefined if there is none. @throws `FILE_KIND` for a directory */
  async fileAt(path: string): Promise<FileRow | undefined> {
    const names = splitPath(path);
    const row = await this.rowOf(names);
    if (row === undefined && (await this.isDirectory(names))) throw notAFile(path, 'a directory');
    return row;
  }

  async rowOf(names: readonly string[]): Promise<FileRow | undefined> {
    const [row] = await this.#database.query<FileRow>(
      `SELECT revision::text AS revision, size::float8 AS size FROM ${this.#schema}.files WHERE digest = $1`,
      [digestOf(joinPath(names))],
    );
    return row;
  }

  async isDirectory(names: readonly string[]): Promise<boolean> {
    return (await this.#database.query(...this.#under(names, ' LIMIT 1'))).length > 0;
  }

  /** Returns the paths of all files below a directory. */
  async pathsUnder(names: readonly string[]): Promise<string[]> {
    const rows = await this.#database.query<{ readonly path: string }>(...this.#under(names));
    return rows.map(({ path }) => path);
  }

  /** Returns the revision of a file, and its bytes between two offsets; undefined if there is no file. */
  async read(
    names: readonly string[],
    start: number,
    end: number,
  ): Promise<{ readonly revision: string; readonly bytes: Uint8Array } | undefined> {
    const rows = await this.#database.query<{ revision: string; start: number | null; bytes: Buffer | null }>(
      `SELECT f.revision::text AS revision, p.start::float8 AS start, p.bytes FROM ${this.#schema}.files f
       LEFT JOIN ${this.#schema}.file_parts p ON p.digest = f.digest AND p.start < $3 AND p.start + length(p.bytes) > $2
       WHERE f.digest = $1 ORDER BY p.start`,
      [digestOf(joinPath(names)), start, end],
    );
    const [first] = rows;
    if (first === undefined) return undefined;
    const parts = rows.flatMap(({ start: from, bytes }) =>
      from === null || bytes === null
        ? []
        : [bytes.subarray(Math.max(0, start - from), Math.max(0, end - from))],
    );
    return { revision: first.revision, bytes: new Uint8Array(Buffer.concat(parts)) };
  }

  async remove(names: readonly string[]): Promise<boolean> {
    const sql = `DELETE FROM ${this.#schema}.files WHERE digest = $1 RETURNING 1`;
    return (await this.#database.query(sql, [digestOf(joinPath(names))])).length > 0;
  }

  /** Removes a file, or a directory with everything in it. Returns false if neither exists. */
  async removeTree(names: readonly string[]): Promise<boolean> {
    const [found, values] = this.#under(names);
    const rows = await this.#database.query(
      `DELETE FROM ${this.#schema}.files WHERE digest = $3 OR path IN (${found}) RETURNING 1`,
      [...values, digestOf(joinPath(names))],
    );
    return rows.length > 0;
  }

  /**
   * Changes a file in a transaction that locks all paths with the same first name, so that none of them becomes a
   * directory or a file meanwhile. @throws `FILE_KIND` if the path is a directory or below a file
   */
  async change(
    path: string,
    work: (client: PoolClient, row: FileRow | undefined) => Promise<string>,
  ): Promise<string> {
    const names = splitPath(path);
    const transact = async (client: PoolClient): Promise<string> => {
      await client.query('SELECT pg_advisory_xact_lock(hashtext($1), hashtext($2))', [
        this.#schema,
        names[0],
      ]);
      await this.#refuseFilesAbove(client, names);
      const { rows } = await client.query<FileRow>(
        `SELECT revision::text AS revision, size::float8 AS size FROM ${this.#schema}.files WHERE digest = $1 FOR UPDATE`,
        [digestOf(joinPath(names))],
      );
      const below = rows[0] === undefined ? await client.query(...this.#under(names, ' LIMIT 1')) : undefined;
      if (below !== undefined && below.rows.length > 0) throw notAFile(path, 'a directory');
      return work(client, rows[0]);
    };
    return this.#inTurn(joinPath(names), () => this.#database.transaction(transact));
  }

  /** Inserts or replaces the row of a file, with a revision that was never used. */
  async put(client: PoolClient, path: string, size: number): Promise<string> {
    const { rows } = await client.query<{ readonly revision: string }>(
      `INSERT INTO ${this.#schema}.files (digest, path, revision, size)
       VALUES ($1, $2, nextval('${this.#schema}.revisions'), $3)
       ON CONFLICT (digest) DO UPDATE SET revision = excluded.revision, size = excluded.size
       RETURNING revision::text AS revision`,
      [digestOf(path), path, size],
    );
    return rows[0]?.revision ?? '';
  }

  async clear(client: PoolClient, path: string): Promise<void> {
    await client.query(`DELETE FROM ${this.#schema}.file_parts WHERE digest = $1`, [digestOf(path)]);
  }

  /** Appends bytes to a file of this size. */
  async add(client: PoolClient, path: string, size: number, bytes: Uint8Array): Promise<void> {
    if (bytes.length === 0) return;
    const { rows } = await client.query<{ readonly start: number; readonly length: number }>(
      `SELECT p.start::float8 AS start, length(bytes) AS length FROM ${this.#schema}.file_parts p
       WHERE digest = $1 ORDER BY p.start DESC LIMIT 1`,
      [digestOf(path)],
    );
    const last = rows[0];
    const start = last !== undefined && last.length < partBytes ? last.start : size;
    await client.query(
      `INSERT INTO ${this.#schema}.file_parts AS p (digest, start, bytes) VALUES ($1, $2, $3)
       ON CONFLICT (digest, start) DO UPDATE SET bytes = p.bytes || excluded.bytes`,
      [digestOf(path), start, Buffer.from(bytes)],
    );
  }

  async #refuseFilesAbove(client: PoolClient, names: readonly string[]): Promise<void> {
    const above = names.slice(0, -1).map((_, depth) => joinPath(names.slice(0, depth + 1)));
    const { rows } = await client.query<{ readonly path: string }>(
      `SELECT path FROM ${this.#schema}.files WHERE digest = ANY ($1)`,
      [above.map((path) => digestOf(path))],
    );
    if (rows[0] !== undefined) throw notADirectory(rows[0].path);
  }

  /** Returns the SQL that finds the files below a directory. */
  #under(names: readonly string[], limit = ''): [sql: string, values: unknown[]] {
    const begin = names.length === 0 ? '/' : `${joinPath(names)}/`;
    const end = firstAfter(Array.from(begin).slice(0, 200).join(''));
    return [
      `SELECT path FROM ${this.#schema}.files WHERE left(path, 200) >= left($1, 200)
       AND ($2::text IS NULL OR left(path, 200) < $2) AND starts_with(path, $1)${limit}`,
      [begin, end],
    ];
  }
}
