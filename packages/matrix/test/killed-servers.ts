import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { ClientError, createClient, type Client, type RunStream } from '@shallot/client';
import type { Message } from '@shallot/core';
import type { Store } from '@shallot/core/store';
import { followRun } from '@shallot/core/work';

import type { ServedTerms } from './programs/served-process.ts';

const program = fileURLToPath(new URL('programs/served-process.ts', import.meta.url));

/** Counts of what happened while servers and workers were killed. */
export interface KilledServers {
  readonly kills: number;
  readonly sessions: number;
  readonly answers: number;
  /** The number of times that a client left a stream that was still open. */
  readonly leaves: number;
}

/** The messages of a session at its end, from three points of view. */
export interface SeenSession {
  readonly outcome: string | undefined;
  readonly client: readonly Message[];
  /** The messages from `followRun` over the store, which was never interrupted. */
  readonly stayed: readonly Message[];
  readonly stored: readonly Message[];
}

type SpareProcess = ChildProcessByStdio<Writable, Readable, null>;

/** Starts processes before they are needed, so that a killed one is replaced at once, however long a start takes. */
class Spares {
  readonly #terms: ServedTerms;
  readonly #waiting: Promise<SpareProcess>[] = [];
  readonly #all: SpareProcess[] = [];

  constructor(terms: ServedTerms, count: number) {
    this.#terms = terms;
    while (this.#waiting.length < count) this.#waiting.push(this.#start());
  }

  async #start(): Promise<SpareProcess> {
    const child = spawn(process.execPath, ['--no-warnings', program, JSON.stringify(this.#terms)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#all.push(child);
    await once(child.stdout, 'data');
    return child;
  }

  /**
   * Assigns a role to a waiting process: a server on this port, or without a port a worker. Resolves once the process
   * is ready.
   */
  async use(port: number | undefined): Promise<SpareProcess> {
    this.#waiting.push(this.#start());
    const child = await this.#waiting.shift();
    if (child === undefined) throw new Error('No process is kept ahead.');
    child.stdin.write(`${JSON.stringify({ port })}\n`);
    await once(child.stdout, 'data');
    return child;
  }

  /** Ends all processes. */
  async end(): Promise<void> {
    await Promise.allSettled(this.#waiting);
    for (const child of this.#all) child.kill('SIGKILL');
  }
}

/**
 * Plays sessions over two servers and two workers. One of these is killed at random again and again. Each session is
 * checked at its end.
 */
export async function playKilled(
  database: string,
  store: Store,
  {
    kills,
    steps,
    check,
  }: { readonly kills: number; readonly steps: number; readonly check: (seen: SeenSession) => void },
): Promise<KilledServers> {
  const ports = [await freePort(), await freePort()];
  const spares = new Spares({ database, steps }, 2);
  const counts = { kills: 0, sessions: 0, answers: 0, leaves: 0 };
  const places: { readonly port: number | undefined; process: SpareProcess }[] = [];
  for (const port of [...ports, undefined, undefined]) places.push({ port, process: await spares.use(port) });
  const disturb = async (): Promise<void> => {
    while (counts.kills < kills) {
      await sleep(50 + 400 * Math.random());
      const place = places[Math.floor(Math.random() * places.length)];
      if (place === undefined || place.process.exitCode !== null)
        throw new Error(`A process ended by itself, with status ${place?.process.exitCode}.`);
      counts.kills += 1;
      place.process.kill('SIGKILL');
      await once(place.process, 'exit');
      place.process = await spares.use(place.port);
    }
  };
  const play = async (): Promise<void> => {
    while (counts.kills < kills) {
      counts.sessions += 1;
      check(await playSession(store, clientOf(ports), `session-${counts.sessions}`, counts));
    }
  };
  try {
    await Promise.all([disturb(), play(), play(), play()]);
    return counts;
  } finally {
    await spares.end();
  }
}

/** Creates a client that sends each request to a random one of the servers. */
function clientOf(ports: readonly number[]): Client {
  return createClient({
    url: 'http://127.0.0.1',
    retries: 1000,
    silenceMs: 3000,
    fetch: (url, init) => {
      const at = new URL(url instanceof Request ? url.url : url);
      at.port = String(ports[Math.floor(Math.random() * ports.length)]);
      return fetch(at, init);
    },
  });
}

async function playSession(
  store: Store,
  client: Client,
  sessionId: string,
  counts: { answers: number; leaves: number },
): Promise<SeenSession> {
  let stream = await client.stream('Look', { sessionId });
  const staying = stay(store, sessionId);
  for (;;) {
    await readLeaving(stream, counts);
    const { end, interrupts } = stream.state;
    if (end?.outcome === 'completed') break;
    if (end?.outcome === 'interrupted') {
      counts.answers += 1;
      for (const { id } of interrupts) await ignoringLost(client.answer(sessionId, id, 'Yes'));
    } else {
      // Workers have died too often in this step, so the run continues only after an explicit resume.
      await ignoringLost(client.call('POST /sessions/{id}/resume', { params: { id: sessionId } }));
    }
    stream = (await client.follow(sessionId)) ?? stream;
  }
  const stored = (await store.load(sessionId))?.messages ?? [];
  return { outcome: stream.state.end?.outcome, client: stream.state.messages, stayed: await staying, stored };
}

/** Reads a run to its end, but now and then leaves the stream and reads on. */
async function readLeaving(stream: RunStream, counts: { leaves: number }): Promise<void> {
  while (stream.state.end === undefined) {
    for await (const _ of stream) {
      if (Math.random() > 0.05) continue;
      counts.leaves += 1;
      break;
    }
  }
}

/**
 * Ignores a failed request: its answer may have been lost although the request was accepted, or the request may have
 * been sent twice.
 */
async function ignoringLost(sending: Promise<unknown>): Promise<void> {
  await sending.catch((error: unknown) => {
    if (!(error instanceof ClientError) || error.code === 'client/ANSWER_INVALID') throw error;
  });
}

/** Reads a session's messages from the store with `followRun`, across its questions, until a run is completed. */
async function stay(store: Store, sessionId: string): Promise<readonly Message[]> {
  for (;;) {
    let messages: Message[] = [];
    for await (const event of followRun(store, sessionId)) {
      if (event.type === 'reload') messages = [];
      if (event.type === 'message' || event.type === 'tool-end') messages.push(event.message);
      if (event.type === 'run-end' && event.outcome === 'completed') return messages;
    }
    await sleep(20);
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A TCP server has an address with a port.
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
