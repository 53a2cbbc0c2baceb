import { once } from 'node:events';
import type { IncomingMessage, RequestListener } from 'node:http';
import { createServer } from 'node:https';
import { connect, type AddressInfo } from 'node:net';
import { pipeline, type Duplex } from 'node:stream';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';

import { describe, expect, it, onTestFinished } from 'vitest';

import { certificate } from '../test/certificate.ts';
import { fetchUrl, html, resolving, serve, type Setting } from '../test/fetch.ts';

describe('behind a proxy', () => {
  it('names are resolved by the proxy, and literal private addresses are refused all the same', async () => {
    const proxy = await serve(html('<p>by proxy'), '127.0.0.3');
    const direct = await serve(html('<p>directly'));
    const env = { HTTP_PROXY: proxy.url, NO_PROXY: 'direct.test' };
    const setting: Setting = {
      options: { proxy: true },
      env,
      resolve: resolving(() => ['127.0.0.2']),
    };
    expect((await fetchUrl({ url: 'http://public.test/page' }, setting)).text).toContain('by proxy');
    expect(proxy.requests).toEqual(['public.test http://public.test/page']);
    expect((await fetchUrl({ url: 'http://10.0.0.1/' }, setting)).isError).toBe(true);
    expect((await fetchUrl({ url: `${proxy.url}/admin` }, setting)).isError).toBe(true);
    expect((await fetchUrl({ url: `http://direct.test:${direct.port}/` }, setting)).text).toContain(
      'direct.test, which is 127.0.0.2',
    );
    expect(direct.requests).toEqual([]);
  });

  it('pages of https come through a tunnel, in which the page proves its name', async () => {
    const trusted = getCACertificates('default');
    setDefaultCACertificates([...trusted, certificate.cert]);
    onTestFinished(() => setDefaultCACertificates(trusted));
    const { tunnels, port } = await serveTunnels((request, response) => {
      if (request.url !== '/down') return html('<p>by tunnel')(request, response);
      response.writeHead(302, { location: 'http://public.test/' }).end();
    });
    const setting: Setting = {
      options: { proxy: true },
      env: { HTTPS_PROXY: `http://127.0.0.3:${port}`, NO_PROXY: 'direct.test' },
      // Nobody here asks for the names of pages that come through the proxy.
      resolve: resolving((hostname) => (hostname === 'direct.test' ? ['127.0.0.2'] : [])),
    };
    expect((await fetchUrl({ url: 'https://public.test/page' }, setting)).text).toContain('by tunnel');
    expect((await fetchUrl({ url: 'https://public.test/down' }, setting)).text).toBe(
      'public.test redirects from https to "http://public.test/", which anybody on the way can read and change. Fetch that URL itself if this does not matter.',
    );
    const another = await fetchUrl({ url: 'https://another.test/' }, setting);
    expect([another.isError, another.text]).toEqual([true, expect.stringContaining('another.test')]);
    expect(tunnels).toEqual(['public.test:443', 'public.test:443', 'another.test:443']);
    expect((await fetchUrl({ url: 'https://10.0.0.1/' }, setting)).text).toContain('is not on the public');
    expect((await fetchUrl({ url: 'https://[::ffff:10.0.0.1]/' }, setting)).isError).toBe(true);
    expect((await fetchUrl({ url: `https://127.0.0.3:${port}/` }, setting)).isError).toBe(true);
    expect((await fetchUrl({ url: 'https://direct.test/' }, setting)).text).toContain(
      'direct.test, which is 127.0.0.2',
    );
    expect(tunnels).toHaveLength(3);
  });
});

/** A proxy whose tunnels all lead to one page of https. */
async function serveTunnels(listener: RequestListener) {
  const page = createServer(certificate, listener);
  page.listen(0, '127.0.0.1');
  await once(page, 'listening');
  const tunnels: string[] = [];
  // Servers that listen on an address have a port.
  const { port: pagePort } = page.address() as AddressInfo;
  const { server, port } = await serve(() => {}, '127.0.0.3');
  server.on('connect', ({ url = '' }: IncomingMessage, socket: Duplex) => {
    tunnels.push(url);
    const inner = connect(pagePort, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      pipeline(inner, socket, inner, () => {});
    });
  });
  onTestFinished(() => {
    page.closeAllConnections();
    page.close();
  });
  return { tunnels, port };
}
