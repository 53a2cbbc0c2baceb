import { ShallotError } from '@shallot/core';

/** What went wrong, and what to do, by the SQLSTATE of PostgreSQL: https://www.postgresql.org/docs/18/errcodes-appendix.html */
const known: Readonly<Record<string, readonly [what: string, todo: string]>> = {
  '28P01': ['refused the password', 'Check the user and the password in the URL.'],
  '28000': ['refused the user', 'Check the user in the URL, and pg_hba.conf of the server.'],
  '3D000': ['has no such database', 'Create the database, or check its name in the URL.'],
  '3F000': ['has no such schema', 'Run `shallot store migrate`.'],
  '42P01': ['lacks a table of the store', 'Run `shallot store migrate`.'],
  '42883': ['lacks a function of the store', 'Run `shallot store migrate`.'],
  '42501': ['refused a right', 'Grant the right to the user of the URL.'],
  '25006': ['is read-only', 'Connect to the primary server.'],
  '53100': ['has no disk space left', 'Free space on the disk of the server.'],
  '53300': [
    'has too many connections',
    'Lower the option `poolSize`, or raise max_connections of the server.',
  ],
  '57014': ['canceled a query', 'Raise statement_timeout of the server.'],
};

/** Codes of a connection that was lost, or not made, though it may be made later. */
const lost: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EAI_AGAIN',
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now
  '08000',
  '08003',
  '08006',
  '08P01',
]);

/** Codes of a transaction that lost against another one, and may be tried again. */
const raced: ReadonlySet<string> = new Set(['40001', '40P01']);

/** Whether the connection was lost: what was sent may have taken effect. */
export function isLost(error: unknown): boolean {
  const { code, message } = seenOf(error);
  return lost.has(code) || /Connection terminated|timeout exceeded when trying to connect/.test(message);
}

/** Whether the transaction lost against another one: nothing has taken effect. */
export function isRaced(error: unknown): boolean {
  return raced.has(seenOf(error).code);
}

/** Codes of a table, column or function that is missing. */
const missing: ReadonlySet<string> = new Set(['42P01', '42703', '42883']);

/** Whether the tables are not those that this program knows. */
export function isMissing(error: unknown): boolean {
  return missing.has(seenOf(error).code);
}

/** The error for what the driver threw. `where` is the server and database, without the password. */
export function storeFailed(where: string, error: unknown): ShallotError {
  if (error instanceof ShallotError) return error;
  const { code, message } = seenOf(error);
  const [what, todo] = known[code] ?? [];
  const transient = isLost(error) || isRaced(error) || code === '53300';
  return new ShallotError('STORE_FAILED', {
    message: `PostgreSQL at ${where} ${what ?? 'failed'}: ${message.replace(/\.$/, '')}. ${todo ?? (transient ? 'Try again.' : 'Check the server.')}`,
    transient,
    cause: error,
  });
}

function seenOf(error: unknown): { readonly code: string; readonly message: string } {
  if (!(error instanceof Error)) return { code: '', message: String(error) };
  // Node joins the failures of several addresses, with an empty message.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : undefined;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return { code, message: error.message === '' && first instanceof Error ? first.message : error.message };
}
