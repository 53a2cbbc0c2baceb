import { once } from 'node:events';
import { createServer } from 'node:http';

import type { WorkerHealth } from '@shallot/core/work';

import { CommandFailure } from '../terminal/command-failure.ts';
import { exitStatus } from '../terminal/exit-status.ts';
import { visibleLine } from '../terminal/visible.ts';

/** An HTTP server for probes: 200 while a worker is healthy, else 503, with its health as JSON. */
export interface HealthServer extends AsyncDisposable {
  readonly port: number;
  set(health: WorkerHealth): void;
}

/** Serves the health of a worker at `port` of this machine, or at `host:port`. @throws a usage failure */
export async function serveHealth(typed: string): Promise<HealthServer> {
  const [, host = '127.0.0.1', port = ''] = /^(?:(.+):)?(\d+)$/.exec(typed) ?? [];
  if (port === '' || Number(port) > 65_535)
    throw unusable(`--health is "${visibleLine(typed)}"; write a port, or host:port: 8080, 0.0.0.0:8080.`);
  let health: WorkerHealth = { isHealthy: true, answeredAt: Date.now() };
  const server = createServer((_, response) => {
    response.writeHead(health.isHealthy ? 200 : 503, { 'content-type': 'application/json' });
    response.end(`${JSON.stringify(health)}\n`);
  });
  try {
    server.listen(Number(port), host.replace(/^\[(.*)\]$/, '$1'));
    await once(server, 'listening');
  } catch (cause) {
    throw unusable({ cause });
  }
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : Number(port),
    set: (next) => void (health = next),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function unusable(why: string | { readonly cause: unknown }): CommandFailure {
  return new CommandFailure(exitStatus.usage, why);
}
