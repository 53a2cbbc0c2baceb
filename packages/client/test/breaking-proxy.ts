import { once } from 'node:events';
import { createServer, connect, type AddressInfo } from 'node:net';

/** A proxy in front of a server, whose connections break. */
export interface BreakingProxy extends AsyncDisposable {
  readonly url: string;
  /** The number of connections that have broken. */
  readonly broken: number;
}

/** Forwards bytes to a server, and breaks each connection once the client has received `bytes()` bytes. */
export async function breakingProxy(url: string, bytes: () => number): Promise<BreakingProxy> {
  const { hostname, port } = new URL(url);
  let broken = 0;
  const proxy = createServer((client) => {
    const server = connect(Number(port), hostname);
    let left = bytes();
    const end = (): void => {
      client.destroy();
      server.destroy();
    };
    server.on('data', (data) => {
      client.write(data.subarray(0, left));
      left -= data.length;
      if (left > 0) return;
      broken += 1;
      // Sends what has been written, and then closes in the middle of an answer.
      client.destroySoon();
      server.destroy();
    });
    client.on('data', (data) => server.write(data));
    client.on('close', end).on('error', end);
    server.on('close', end).on('error', end);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const { port: own } = proxy.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${own}`,
    get broken() {
      return broken;
    },
    async [Symbol.asyncDispose]() {
      proxy.close();
      await once(proxy, 'close');
    },
  };
}
