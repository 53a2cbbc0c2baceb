// The HTTP program: starts, lists, follows, answers and stops runs. It has the store but no agent, because workers
// execute the runs.
import { createServer } from 'node:http';

import { postgresStore } from '@shallot/store-postgres';

import { handleRequest } from './handle-request.ts';

const { DATABASE_URL = '', HOST = '127.0.0.1', PORT = '8000' } = process.env;

// With `queue`, runs and answers that are submitted here wake a worker at once.
const store = postgresStore({ url: DATABASE_URL, queue: true });
const server = createServer((request, response) => void handleRequest(store, request, response));
server.listen(Number(PORT), HOST, () => console.log(`Listening on http://${HOST}:${PORT}`));

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => {
    server.close(() => void store.close());
    // Followers reconnect to another server, and continue after the last message that they have.
    server.closeAllConnections();
  });
}
