import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { mustPass } from './must-pass.ts';

/** A registry on this machine that has packages of ours, and forwards requests for others. */
export interface LoopbackRegistry {
  readonly url: string;
  publish(tarball: string): Promise<void>;
  close(): void;
}

interface Published {
  readonly name: string;
  readonly version: string;
}

/** Starts a registry for tarballs. Requests for anything that is not published to it go to `upstream`. */
export async function startRegistry(upstream: string): Promise<LoopbackRegistry> {
  /** The metadata that package managers get, by package name. */
  const documents = new Map<string, object>();
  const tarballs = new Map<string, Buffer>();
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      response.writeHead(502).end(String(error));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server that listens on a port has an address of this type.
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
      // Only metadata: it names tarballs by their own URLs, so they are not requested here.
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
      // The package was packed just now, so the manifest is valid.
      const manifest = JSON.parse(stdout) as Published;
      const { name, version } = manifest;
      const content = readFileSync(tarball);
      const path = `${name}/-/${version}.tgz`;
      const integrity = `sha512-${createHash('sha512').update(content).digest('base64')}`;
      const shasum = createHash('sha1').update(content).digest('hex');
      tarballs.set(path, content);
      // The date is long past, because some package managers do not install a version in its first days.
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
