/**
 * Measures `npm start` on a fresh clone with empty caches: the bytes that are fetched from the registry, and the CPU time of
 * all that it starts. Needs git, a shell and the network. Fails beyond the bounds.
 *
 *     node bench/first-start.ts            with the Node that runs this
 *     node bench/first-start.ts /usr/bin   with the Node of that directory
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

const bounds = { megabytes: 90, cpuSeconds: 20 };
const upstream = 'registry.npmjs.org';
const [directoryOfNode = dirname(process.execPath)] = process.argv.slice(2);

let [bytes, requests] = [0, 0];

/** Forwards each request to the registry unchanged, and counts requests and bytes. */
const counting = createServer((incoming, outgoing) => {
  requests += 1;
  const { method, url: path, headers } = incoming;
  const passed = request(
    { host: upstream, method, path, headers: { ...headers, host: upstream } },
    (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.on('data', (chunk: Buffer) => (bytes += chunk.length)).pipe(outgoing);
    },
  );
  passed.on('error', (error) => outgoing.writeHead(502).end(String(error)));
  incoming.pipe(passed);
});
counting.listen(0, '127.0.0.1');
await once(counting, 'listening');
// A server that listens on a port has an address of this type.
const { port } = counting.address() as AddressInfo;

const home = mkdtempSync(join(tmpdir(), 'shallot-first-start-'));
const clone = join(home, 'shallot');
try {
  await run(
    'git',
    ['clone', '--quiet', '--no-local', '--depth', '1', `file://${join(import.meta.dirname, '..')}`, clone],
    home,
  );
  const began = performance.now();
  // `times` prints the CPU time of all descendants in its second line.
  const printed = await run('sh', ['-c', 'npm start >&2 && times'], clone);
  const seconds = (performance.now() - began) / 1000;
  const [user = 0, system = 0] = [...(printed.split('\n')[1] ?? '').matchAll(/(\d+)m([\d.,]+)s/g)].map(
    ([, minutes, rest = '']) => Number(minutes) * 60 + Number(rest.replace(',', '.')),
  );
  const found = { megabytes: bytes / 1e6, cpuSeconds: user + system };
  console.log(
    `fetched  ${found.megabytes.toFixed(1)} MB in ${requests} requests (at most ${bounds.megabytes} MB)`,
  );
  console.log(`CPU      ${found.cpuSeconds.toFixed(1)} s (at most ${bounds.cpuSeconds} s)`);
  console.log(`time     ${seconds.toFixed(1)} s`);
  if (found.megabytes > bounds.megabytes || found.cpuSeconds > bounds.cpuSeconds) process.exitCode = 1;
} finally {
  counting.close();
  counting.closeAllConnections();
  rmSync(home, { recursive: true, force: true });
}

/** Runs a program with none of this account's caches and settings. Returns its stdout. */
async function run(program: string, args: readonly string[], cwd: string): Promise<string> {
  const child = spawn(program, args, {
    cwd,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: [directoryOfNode, '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter),
      HOME: home,
      npm_config_cache: join(home, 'npm-cache'),
      npm_config_registry: `http://127.0.0.1:${port}/`,
    },
  });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
  const [status] = (await once(child, 'close')) as [number | null];
  if (status !== 0) throw new Error(`${program} ended with ${String(status)}.`);
  return printed;
}
