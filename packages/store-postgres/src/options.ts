import { ShallotError } from '@shallot/core';
import { option, optionsSchema, type ShapeOutput, type StandardSchemaWithJson } from '@shallot/core/plugin';

/** Options of the store. */
export interface PostgresStoreOptions {
  /** `postgres://USER:PASSWORD@HOST:PORT/DATABASE`, with `sslmode` and other parameters of the driver. */
  readonly url: string;
  /** The URL of the server itself, for notifications, if `url` is a transaction pooler. Default: `url`. */
  readonly directUrl?: string;
  /** The schema of the tables. Default: `shallot`. */
  readonly schema?: string;
  /**
   * The maximum number of connections of this process, which stores, files and queues with the same URL share; the largest
   * counts. Notifications have one more. Default: 10.
   */
  readonly poolSize?: number;
  /** The time limit of a connection attempt, in milliseconds. Default: 10,000. */
  readonly connectTimeoutMs?: number;
  /**
   * The time limit of an attempt of a query, in milliseconds. After that, the connection is replaced, and the query
   * is tried again. Default: 15,000.
   */
  readonly queryTimeoutMs?: number;
  /** The time for which an operation is retried while the server is unreachable, in milliseconds. Default: 15,000. */
  readonly retryMs?: number;
  /** A certificate authority as PEM text, for TLS. Default: the system's. */
  readonly ca?: string;
  /** Creates and updates the tables on first use. Default: true. */
  readonly migrate?: boolean;
  /**
   * Notifies other processes of each commit by LISTEN and NOTIFY. Default: true; `false` behind a pooler without
   * `directUrl`.
   */
  readonly listen?: boolean;
  /** Adds a graphile-worker job with each commit that makes a session resumable. Default: false. */
  readonly queue?: boolean;
}

/** The address of a database; never shown, because it contains the password. */
const address = option
  .text()
  .secret()
  .map((url, report) => {
    if (!/^postgres(?:ql)?:\/\/\S+$/.test(url)) {
      report('it is not a URL like postgres://USER:PASSWORD@HOST:PORT/DATABASE');
    }
    return url;
  });

const shape = {
  url: address.required().describe('postgres://USER:PASSWORD@HOST:PORT/DATABASE'),
  directUrl: address.describe('The URL of the server itself, if `url` leads to a transaction pooler.'),
  schema: option
    .text('a name of lowercase letters, digits and _', /^[a-z_][a-z0-9_]{0,50}$/)
    .default('shallot')
    .describe('The schema of the tables.'),
  poolSize: option
    .integer({ min: 1 })
    .default(10)
    .describe('The maximum number of connections of this process to this URL.'),
  connectTimeoutMs: option
    .integer({ min: 1 })
    .default(10_000)
    .describe('The time limit of a connection attempt.'),
  queryTimeoutMs: option
    .integer({ min: 1 })
    .default(15_000)
    .describe('The time limit of an attempt of a query, whose connection is then replaced.'),
  retryMs: option
    .integer({ min: 0 })
    .default(15_000)
    .describe('How long an operation is tried again while the server is away.'),
  ca: option.text().describe('A certificate authority as PEM text, for TLS.'),
  migrate: option.boolean().default(true).describe('Creates and updates the tables at the first use.'),
  listen: option.boolean().default(true).describe('Notifies followers and other processes of each commit.'),
  queue: option
    .boolean()
    .default(false)
    .describe('Adds a job of graphile-worker with each commit that makes a session resumable.'),
};

export type CompleteOptions = ShapeOutput<typeof shape>;

/** The schema of the options; also available as JSON Schema, for editors of config files. */
const postgresOptions: StandardSchemaWithJson<PostgresStoreOptions, CompleteOptions> = optionsSchema(shape);

/** Returns the options with defaults. @throws `OPTION_INVALID` */
export function checkOptions(options: PostgresStoreOptions): CompleteOptions {
  const checked = postgresOptions['~standard'].validate(options);
  if (checked instanceof Promise) throw new TypeError('The schema of the options is not asynchronous.');
  if (checked.issues === undefined) return checked.value;
  const issues = checked.issues.map(
    ({ path = [], message }) => `${path.map(String).join('.') || 'options'}: ${message}`,
  );
  throw new ShallotError('OPTION_INVALID', {
    message: `The options of the PostgreSQL store are not valid. ${issues.join(' ')}`,
  });
}
