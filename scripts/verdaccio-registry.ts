import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { runServer } from 'verdaccio';

import { mustPass } from './must-pass.ts';

/** A real registry: anyone who has its token can publish to it. */
export interface VerdaccioRegistry {
  readonly url: string;
  /** The token, for `//host/:_authToken` in an .npmrc. */
  readonly token: string;
  publish(tarball: string): Promise<void>;
  close(): void;
}

/**
 * Starts a registry on this machine. It has the packages that are published to it, and forwards requests for others.
 */
export async function startVerdaccio(upstream: string): Promise<VerdaccioRegistry> {
  const home = mkdtempSync(join(tmpdir(), 'shallot-verdaccio-'));
  const ours = { access: '$all', publish: '$authenticated' };
  const server = await listen({
    storage: join(home, 'storage'),
    self_path: home,
    auth: { htpasswd: { file: join(home, 'htpasswd') } },
    uplinks: { machine: { url: upstream, timeout: '120s', max_fails: 100 } },
    packages: {
      shallot: ours,
      '@shallot/*': ours,
      'shallot-plugin-*': ours,
      '**': { access: '$all', publish: '$authenticated', proxy: 'machine' },
    },
    web: { enable: false },
    log: { type: 'stdout', level: 'fatal' },
    max_body_size: '100mb',
  });
  // A server that listens on a port has an address of this type.
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const url = `http://${host}`;
  const token = await tokenOf(url);
  return {
    url,
    token,
    async publish(tarball) {
      const credentials = { [`npm_config_//${host}/:_authToken`]: token, npm_config_registry: url };
      await mustPass('npm', ['publish', '--ignore-scripts', tarball], { env: credentials });
    },
    close() {
      server.close();
      server.closeAllConnections();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

async function listen(config: object): Promise<Server> {
  // Verdaccio returns an HTTP server, which its declarations type as `any`.
  const server = (await runServer(config)) as Server;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

async function tokenOf(url: string): Promise<string> {
  const answer = await fetch(`${url}/-/user/org.couchdb.user:author`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'author', password: 'an onion has layers' }),
  });
  // The response to a new user has this form.
  const { token } = (await answer.json()) as { readonly token?: string };
  if (token === undefined) throw new Error(`verdaccio gave no token: ${answer.status}`);
  return token;
}
