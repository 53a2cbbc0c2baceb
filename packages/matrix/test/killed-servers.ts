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

/** Everything that happened while servers and workers were killed. */
export interface KilledServers {
  readonly kills: number;
  readonly sessions: number;
  readonly answers: number;
  /** The times that a client left by itself. */
  readonly leaves: number;
}

/** A session as three have it in the end. */
export interface SeenSession {
  readonly outcome: string | undefined;
  readonly client: readonly Message[];
  /** Somebody at the store, who never left. */
  readonly stayed: readonly Message[];
  readonly stored: readonly Message[];
}

type SpareProcess = ChildProcessByStdio<Writable, Readable, null>;

/** Starts processes ahead of their use: one that was killed is replaced at once, however long a start takes. */
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

  /** Puts a process to its work: a server on a port, without one a worker. Resolves when it is at work. */
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

/** Plays sessions over two servers and two workers, one of which is killed again and again, and checks each that has ended. */
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

/** A client that asks one server or the other, each time at random. */
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
      // Its worker died too often in one step: a person has to say that it may go on.
      await ignoringLost(client.call('POST /sessions/{id}/resume', { params: { id: sessionId } }));
    }
    stream = (await client.follow(sessionId)) ?? stream;
  }
  const stored = (await store.load(sessionId))?.messages ?? [];
  return { outcome: stream.state.end?.outcome, client: stream.state.messages, stayed: await staying, stored };
}

/** Reads a run to its end, and leaves now and then. */
async function readLeaving(stream: RunStream, counts: { leaves: number }): Promise<void> {
  while (stream.state.end === undefined) {
    for await (const _ of stream) {
      if (Math.random() > 0.05) continue;
      counts.leaves += 1;
      break;
    }
  }
}

/** An answer that is lost may have been taken; one that comes twice is refused. */
async function ignoringLost(sending: Promise<unknown>): Promise<void> {
  await sending.catch((error: unknown) => {
    if (!(error instanceof ClientError) || error.code === 'client/ANSWER_INVALID') throw error;
  });
}

/** Folds a run from the store itself, over its questions, until it is completed. */
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
