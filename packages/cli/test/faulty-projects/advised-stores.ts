import { advised, rewritten, type AdvisedProject } from './advised-project.ts';

const code = 'CONFIG_INVALID';
const memory = rewritten('store: memory\n');

const url = 'postgres://127.0.0.1:5432/agents';
const sound = `{ use: '@shallot/store-postgres', options: { url: '${url}' } }`;
const mended = { obey: rewritten(`store: ${sound}\n`), answers: false } as const;

const databases: readonly AdvisedProject[] = [
  advised('PostgreSQL by a short name', 'store: «postgres\n', {
    code: 'MODULE_NOT_FOUND',
    fix: '@shallot/store-postgres',
    obey: memory,
  }),
  advised('PostgreSQL without an address', "store: «{ use: '@shallot/store-postgres' }\n", {
    code: 'OPTION_INVALID',
    fix: 'url',
    obey: { write: sound },
    answers: false,
  }),
  advised(
    'an address of PostgreSQL that is not set',
    "store: { use: '@shallot/store-postgres', options: { url: «{ $env: DATABASE_URL } } }\n",
    {
      code: 'CONFIG_ENV',
      fix: 'DATABASE_URL',
      obey: { files: { '.env': `DATABASE_URL=${url}\n` } },
      answers: false,
    },
  ),
  advised(
    'an address of PostgreSQL without its scheme',
    "store: { use: '@shallot/store-postgres', options: { url: «'localhost:5432/agents' } }\n",
    { code: 'OPTION_INVALID', at: 'shallot.config.yaml:2:', fix: 'postgres://', ...mended },
  ),
  advised(
    'a misspelt option of PostgreSQL',
    "store: { use: '@shallot/store-postgres', options: { url: 'postgres://127.0.0.1:1/agents', «shema: x } }\n",
    { code: 'OPTION_INVALID', at: 'shallot.config.yaml:2:', fix: 'did you mean "schema"?', ...mended },
  ),
  advised(
    'PostgreSQL where nobody listens',
    "store: { use: «'@shallot/store-postgres', options: { url: 'postgres://bee:honey@127.0.0.1:1/agents' } }\n",
    {
      args: ['run', 'hi'],
      status: 1,
      at: 'shallot.config.yaml:2:',
      code: 'STORE_FAILED',
      fix: 'Start the server, or check the host and port',
    },
  ),
  advised('files in PostgreSQL by a name that is none', "«files: { use: '@shallot/store-postgres/file' }\n", {
    code: 'MODULE_NOT_FOUND',
    at: 'shallot.config.yaml:2:',
    fix: 'did you mean "@shallot/store-postgres/files"?',
    obey: rewritten(`files: { use: '@shallot/store-postgres/files', options: { url: '${url}' } }\n`),
    answers: false,
  }),
  advised('a database that is a directory', 'store: { use: sqlite, path: ./data }\n', {
    files: { 'data/x': '' },
    args: ['run', 'hi'],
    code: 'STORE_FAILED',
    at: 'shallot.config.yaml:2:8',
    fix: 'Name a file',
    obey: rewritten('store: { use: sqlite, path: ./data/sessions.db }\n'),
  }),
  advised('a database that is another file', 'store: { use: sqlite, path: ./notes.md }\n', {
    files: {
      'notes.md': '# Notes of the bee club, which are long enough to be no database at all.\n'.repeat(40),
    },
    args: ['run', 'hi'],
    code: 'STORE_DAMAGED',
    at: 'shallot.config.yaml:2:8',
    fix: 'move it and its -wal file away',
    obey: rewritten('store: { use: sqlite, path: ./sessions.db }\n'),
  }),
];

const workers: readonly AdvisedProject[] = [
  advised('a detached run that nobody else can see', 'store: «memory\n', {
    args: ['run', '--detach', 'hi'],
    code: 'STORE_LOCAL',
    fix: 'sqlite',
    obey: { write: 'sqlite' },
  }),
  advised('a worker that can see no run', 'store: «memory\n', {
    args: ['worker'],
    code: 'STORE_LOCAL',
    fix: 'sqlite',
    obey: { write: 'sqlite' },
  }),
  advised('a list of sessions that nobody else can see', 'store: «memory\n', {
    args: ['sessions'],
    code: 'STORE_LOCAL',
    fix: 'sqlite',
    obey: { write: 'sqlite' },
  }),
  advised('a context that is not there', 'context: «./gone.mjs\n', {
    code: 'MODULE_NOT_FOUND',
    fix: 'gone.mjs',
    obey: { files: { 'gone.mjs': 'export default () => ({});\n' } },
  }),
  advised('a context that is no function', 'context: «./c.mjs\n', {
    files: { 'c.mjs': 'export default { user: 1 };\n' },
    code: 'MODULE_INVALID',
    fix: 'function',
    obey: { files: { 'c.mjs': 'export default () => ({});\n' } },
  }),
  advised('a queue that is not there', "queue: «'@shallot/store-postgres/queu'\n", {
    code: 'MODULE_NOT_FOUND',
    fix: 'did you mean "@shallot/store-postgres/queue"?',
    obey: rewritten(''),
  }),
  advised('a worker that works on nothing', 'store: sqlite\n', {
    args: ['worker', '--concurrency', '0'],
    code: 'USAGE_INVALID',
    fix: '--concurrency',
    obey: { files: {}, args: ['worker', '--help'] },
  }),
  advised('a time to keep without a unit', 'keep: { completed: «30 }\n', {
    code,
    fix: '30d',
    obey: { write: '30d' },
  }),
  advised('a time to keep for all', 'keep: «30d\n', {
    code,
    fix: 'completed',
    obey: { write: '{ completed: 30d }' },
  }),
  advised('a status that is none', 'keep: { «complete: 30d }\n', {
    code,
    fix: 'did you mean "completed"?',
    obey: { write: 'completed' },
  }),
  advised('an age without a unit', 'store: sqlite\n', {
    args: ['sessions', 'prune', '--older-than', '90'],
    code: 'USAGE_INVALID',
    fix: '30d',
    obey: { files: {}, args: ['sessions', 'prune', '--older-than', '30d'] },
  }),
  advised('an unknown session', 'store: sqlite\n', {
    args: ['sessions', 'show', 'nope'],
    code: 'SESSION_NOT_FOUND',
    fix: 'shallot sessions',
    obey: { files: {}, args: ['sessions'] },
  }),
  advised('an unknown question', 'store: sqlite\n', {
    args: ['approve', 'nope'],
    code: 'INTERRUPT_UNKNOWN',
    fix: 'No question is open',
    obey: { files: {}, args: ['pending'] },
  }),
];

export const advisedStores: readonly AdvisedProject[] = [...databases, ...workers];
