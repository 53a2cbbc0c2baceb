import type { Database } from './database.ts';

/**
 * Deletes a session and the sessions of its child runs; the id is encoded. Returns the rows of the children. A child is
 * recognized by the key `root` in its notes; inside a value, the quotes around the key would be escaped.
 */
export function deleteTree(database: Database, id: string): readonly Readonly<Record<string, unknown>>[] {
  const tree = `WITH RECURSIVE tree (session) AS (
      SELECT ?
      UNION SELECT s.session FROM sessions s JOIN tree ON s.parent = tree.session
        WHERE s.about LIKE '%"root":"%'
    )`;
  const inTree = 'FROM sessions WHERE session IN (SELECT session FROM tree)';
  const children = database.prepare(`${tree} SELECT * ${inTree} AND session <> ?`).all(id, id);
  database.prepare(`${tree} DELETE ${inTree}`).run(id);
  return children;
}
