// The HTTP program: starts, lists, follows, answers and stops runs. It has the store, and no agent: workers have that.
import { createServer } from 'node:http';

import { postgresStore } from '@shallot/store-postgres';

import { handleRequest } from './handle-request.ts';

const { DATABASE_URL = '', HOST = '127.0.0.1', PORT = '8000' } = process.env;

// `queue`: what is submitted or answered here wakes a worker at once.
const store = postgresStore({ url: DATABASE_URL, queue: true });
const server = createServer((request, response) => void handleRequest(store, request, response));
server.listen(Number(PORT), HOST, () => console.log(`Listening on http://${HOST}:${PORT}`));

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => {
    server.close(() => void store.close());
    // Followers connect again, to another server, and continue after the last message that they have.
    server.closeAllConnections();
  });
}
