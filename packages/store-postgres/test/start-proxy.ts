import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

import { onTestFinished } from 'vitest';

/** A proxy in front of a server, which can lose connections in all the ways that networks do. */
export interface TestProxy {
  /** The URL of the server through the proxy. */
  readonly url: string;
  /** The number of bytes forwarded, in both directions. */
  readonly passed: number;
  /** Cuts the next connection on which the server answers, before the answer arrives. */
  cutAnswers(): void;
  /**
   * Forwards nothing more on the current connections, but leaves them open, like a network that has forgotten them.
   * `answers` affects only that direction.
   */
  silence(what?: 'both' | 'answers'): void;
  /** Also forwards nothing on later connections. */
  silenceAll(): void;
  /** Forwards nothing for a time, and then everything that has accumulated. */
  stall(ms: number): void;
  /** Resets all connections, like a server that has crashed. */
  reset(): void;
}

/** Starts a proxy in front of a server, which runs until the test ends. Port 0 means any free port. */
export async function startProxy(url: string, at = 0): Promise<TestProxy> {
  const { hostname, port } = new URL(url);
  let [isCutting, isSilent, passed] = [false, false, 0];
  const sockets = new Set<Socket>();
  const silencers = new Set<(what: 'both' | 'answers') => void>();
  const proxy = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    let silent: 'both' | 'answers' | undefined = isSilent ? 'both' : undefined;
    silencers.add((what) => (silent = what));
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => void sockets.delete(socket));
    }
    client.on('data', (data) => {
      if (silent === 'both') return;
      passed += data.length;
      upstream.write(data);
    });
    client.on('close', () => silent === undefined && upstream.destroy());
    upstream.on('data', (data) => {
      if (silent !== undefined) return;
      if (!isCutting) {
        passed += data.length;
        return void client.write(data);
      }
      isCutting = false;
      client.destroy();
      upstream.destroy();
    });
    upstream.on('end', () => silent === undefined && client.end());
  });
  proxy.listen(at, '127.0.0.1');
  await once(proxy, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });
  const own = new URL(url);
  own.port = String((proxy.address() as AddressInfo).port);
  const silence = (what: 'both' | 'answers'): void => {
    for (const each of silencers) each(what);
  };
  return {
    url: String(own),
    get passed() {
      return passed;
    },
    cutAnswers: () => void (isCutting = true),
    silence: (what = 'both') => silence(what),
    silenceAll() {
      isSilent = true;
      silence('both');
    },
    stall(ms) {
      const stalled = [...sockets];
      for (const socket of stalled) socket.pause();
      setTimeout(() => {
        for (const socket of stalled) socket.resume();
      }, ms);
    },
    reset() {
      for (const socket of sockets) socket.resetAndDestroy();
    },
  };
}
