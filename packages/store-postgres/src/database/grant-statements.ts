import { ShallotError } from '@shallot/core';
import type { StoreRights } from '@shallot/core/store';
import { escapeIdentifier } from 'pg';

/** The tables that programs write to when they commit, or change sessions and files in other ways. */
const written = [
  'sessions',
  'messages',
  'state',
  'journal',
  'live',
  'files',
  'file_parts',
  'duties',
  'inbox',
];

/**
 * Returns the statements that give a role its rights. The owner of the schema executes them, and again after each
 * migration. `schema` is already quoted. @throws `OPTION_INVALID`
 */
export function grantStatements(
  schema: string,
  role: string,
  rights: StoreRights,
  { queue }: { readonly queue: boolean },
): string {
  if (role === '' || role.includes('\0') || Buffer.byteLength(role) > 63) {
    throw new ShallotError('OPTION_INVALID', {
      message: `${JSON.stringify(role)} is no name of a role: PostgreSQL takes 1 to 63 bytes without NUL.`,
    });
  }
  const grantee = escapeIdentifier(role);
  const tables = written.map((name) => `${schema}.${name}`).join(', ');
  const statements = [
    `GRANT USAGE ON SCHEMA ${schema} TO ${grantee};`,
    `GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO ${grantee};`,
  ];
  if (rights !== 'read') {
    statements.push(
      `GRANT INSERT, UPDATE, DELETE ON ${tables} TO ${grantee};`,
      `GRANT USAGE ON ALL SEQUENCES IN SCHEMA ${schema} TO ${grantee};`,
      // The function adds jobs with the rights of its owner.
      `GRANT EXECUTE ON FUNCTION ${schema}.wake_workers(bytea) TO ${grantee};`,
    );
  }
  if (rights === 'work' && queue) statements.push(...queueStatements(grantee));
  return statements.join('\n');
}

/**
 * Returns the statements for a worker, which empties the queue itself. Row-level security closes the queue's tables
 * to everybody but their owner.
 */
function queueStatements(grantee: string): string[] {
  return [
    `GRANT USAGE ON SCHEMA graphile_worker TO ${grantee};`,
    `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA graphile_worker TO ${grantee};`,
    `GRANT USAGE ON ALL SEQUENCES IN SCHEMA graphile_worker TO ${grantee};`,
    `GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA graphile_worker TO ${grantee};`,
    ...['jobs', 'job_queues', 'tasks', 'known_crontabs'].flatMap((table) => [
      `DROP POLICY IF EXISTS shallot_workers ON graphile_worker._private_${table};`,
      `CREATE POLICY shallot_workers ON graphile_worker._private_${table} USING (true) WITH CHECK (true);`,
    ]),
  ];
}
