import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { mustPass } from './must-pass.ts';

/** A registry on this machine that has some packages of ours, and passes on questions about all others. */
export interface LoopbackRegistry {
  readonly url: string;
  publish(tarball: string): Promise<void>;
  close(): void;
}

interface Published {
  readonly name: string;
  readonly version: string;
}

/** Starts a registry over tarballs. `upstream` answers for what is not published here. */
export async function startRegistry(upstream: string): Promise<LoopbackRegistry> {
  /** By name: what a package manager is told of it. */
  const documents = new Map<string, object>();
  const tarballs = new Map<string, Buffer>();
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      response.writeHead(502).end(String(error));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server that listens on a port has such an address.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function answer(
    { url: path = '', headers }: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const name = decodeURIComponent(path.replace(/^\/|\?.*$/g, ''));
    const document = documents.get(name);
    const tarball = tarballs.get(name);
    if (document !== undefined) {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document));
    } else if (tarball !== undefined) {
      response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(tarball);
    } else {
      // Its tarballs are named by their own URLs, and do not come by here.
      const { accept = 'application/json' } = headers;
      const passed = await fetch(new URL(path, upstream), { headers: { accept } });
      const type = passed.headers.get('content-type') ?? 'application/json';
      response
        .writeHead(passed.status, { 'content-type': type })
        .end(Buffer.from(await passed.arrayBuffer()));
    }
  }

  return {
    url,
    async publish(tarball) {
      const { stdout } = await mustPass('tar', ['-xzOf', tarball, 'package/package.json']);
      // Packed just now.
      const manifest = JSON.parse(stdout) as Published;
      const { name, version } = manifest;
      const content = readFileSync(tarball);
      const path = `${name}/-/${version}.tgz`;
      const integrity = `sha512-${createHash('sha512').update(content).digest('base64')}`;
      const shasum = createHash('sha1').update(content).digest('hex');
      tarballs.set(path, content);
      // Some package managers wait some days before they install what is new.
      const longAgo = '2020-01-01T00:00:00.000Z';
      documents.set(name, {
        name,
        'dist-tags': { latest: version },
        time: { created: longAgo, modified: longAgo, [version]: longAgo },
        versions: { [version]: { ...manifest, dist: { tarball: `${url}/${path}`, integrity, shasum } } },
      });
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
