import { ShallotError } from '@shallot/core';

/**
 * The description and advice for each SQLSTATE of PostgreSQL: https://www.postgresql.org/docs/18/errcodes-appendix.html
 */
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
  ECONNREFUSED: ['refused the connection', 'Start the server, or check the host and port in the URL.'],
  ENOTFOUND: ['was not found', 'Check the host in the URL.'],
};

const unanswered = [
  'did not answer in time',
  'Check the server and the network, or raise `queryTimeoutMs`, `connectTimeoutMs` or `poolSize`.',
] as const;

/** Codes of a connection that was lost, or not made, though it may be made later. */
const lost: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EAI_AGAIN',
  // A host that starts later may have no name until then.
  'ENOTFOUND',
  'EHOSTUNREACH',
  'ENETUNREACH',
  '25P03', // idle_in_transaction_session_timeout
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now
  '08000',
  '08003',
  '08006',
  '08P01',
]);

/** Codes of a transaction that conflicted with another one, and can be retried. */
const raced: ReadonlySet<string> = new Set(['40001', '40P01']);

/** Returns true if the connection was lost: the statement may have taken effect. */
export function isLost(error: unknown): boolean {
  const { code, message } = seenOf(error);
  return lost.has(code) || isUnanswered(message) || message.includes('Connection terminated');
}

/** Returns true for the message of a timeout: the driver has no codes for its timeouts. */
function isUnanswered(message: string): boolean {
  return /Query read timeout|timeout exceeded when trying to connect|due to connection timeout/.test(message);
}

/** Returns true if the transaction conflicted with another one: it had no effect. */
export function isRaced(error: unknown): boolean {
  return raced.has(seenOf(error).code);
}

/** Codes of a missing table, column or function. */
const missing: ReadonlySet<string> = new Set(['42P01', '42703', '42883']);

/** Returns true if the tables do not match this program. */
export function isMissing(error: unknown): boolean {
  return missing.has(seenOf(error).code);
}

/**
 * The codes for a prepared statement that does not exist, exists already, or was prepared before its tables changed.
 */
const forgotten: ReadonlySet<string> = new Set(['26000', '42P05', '0A000']);

/** Returns true if the connection cannot execute a prepared statement in its present form. The statement had no effect. */
export function isForgotten(error: unknown): boolean {
  return forgotten.has(seenOf(error).code);
}

/**
 * Returns the error for a driver error; a `ShallotError` is returned unchanged. `where` is the server and database, without
 * the password.
 */
export function storeFailed(where: string, error: unknown): ShallotError {
  if (error instanceof ShallotError) return error;
  const { code, message } = seenOf(error);
  const [what, todo] = isUnanswered(message) ? unanswered : (known[code] ?? []);
  const transient = isLost(error) || isRaced(error) || code === '53300';
  return new ShallotError('STORE_FAILED', {
    message: `PostgreSQL at ${where} ${what ?? 'failed'}: ${message.replace(/\.$/, '')}. ${todo ?? (transient ? 'Try again.' : 'Check the server.')}`,
    transient,
    cause: error,
  });
}

function seenOf(error: unknown): { readonly code: string; readonly message: string } {
  if (!(error instanceof Error)) return { code: '', message: String(error) };
  // Node's error for several addresses has an empty message.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : undefined;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return { code, message: error.message === '' && first instanceof Error ? first.message : error.message };
}
