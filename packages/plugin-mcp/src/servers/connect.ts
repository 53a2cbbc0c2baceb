import {
  Client,
  SdkError,
  SdkErrorCode,
  type ClientContext,
  type ElicitRequest,
  type ElicitResult,
  type OAuthClientProvider,
} from '@modelcontextprotocol/client';
import type { Logger, ShallotError } from '@shallot/core';

import manifest from '../../package.json' with { type: 'json' };
import type { HttpSettings, ServerSettings } from '../config/server-settings.ts';
import { boundedFetch } from './bounded-fetch.ts';
import { Connection } from './connection.ts';
import { HttpTransport } from './http-transport.ts';
import { maxMessageBytes } from './max-message-bytes.ts';
import { ProgramEnded } from './program-ended.ts';
import { ProgramTransport } from './program-transport.ts';
import { serverFetch } from './server-fetch.ts';

/** The options of a connection. */
export interface ConnectOptions {
  /** Aborts the start of a connection. */
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** Answers a question for which the server keeps a call open. */
  readonly onQuestion: (request: ElicitRequest, context: ClientContext) => Promise<ElicitResult>;
  /** Called when the server reports a changed tool list. */
  readonly onToolsChanged: () => void;
  /** Called when the connection is lost. */
  readonly onLost: () => void;
  /** Returns the login for a server reached over HTTP. */
  readonly oauthFor: (settings: HttpSettings) => OAuthClientProvider | undefined;
}

/**
 * Connects to a server with the newest protocol revision that both support. A program that exits when asked for its
 * revision is restarted without asking. Rejects if that fails, at the latest after the server's `startTimeoutMs`.
 */
export async function connect(settings: ServerSettings, options: ConnectOptions): Promise<Connection> {
  const deadline = Date.now() + settings.startTimeoutMs;
  try {
    return await open(settings, options, settings.legacy, deadline);
  } catch (error) {
    if (settings.kind !== 'program' || settings.legacy || !endedWhenAsked(error)) throw error;
    return await open(settings, options, true, deadline);
  }
}

async function open(
  settings: ServerSettings,
  options: ConnectOptions,
  legacy: boolean,
  deadline: number,
): Promise<Connection> {
  const leftMs = Math.max(1, deadline - Date.now());
  let refused: ShallotError | undefined;
  const transport = transportFor(settings, options, {
    onRefused: (error) => (refused ??= error),
    onOverflow: (error) => connection.noteOverflow(error),
  });
  const client = makeClient(options, legacy, leftMs);
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the client is no EventTarget
  client.onerror = (error) => options.log.debug({ err: error }, 'the connection reports an error');
  const connection = new Connection(client, transport);
  try {
    await inTime(client.connect(transport, { timeout: leftMs }), leftMs, options.signal);
  } catch (error) {
    await connection.close();
    throw refused ?? withEnding(error, transport);
  }
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- as above
  client.onclose = options.onLost;
  return connection;
}

interface TransportEvents {
  /** Called when an address that the server named was refused. */
  readonly onRefused: (error: ShallotError) => void;
  /** Called when an answer was dropped because it is too large. */
  readonly onOverflow: (error: Error) => void;
}

function transportFor(
  settings: ServerSettings,
  { log, oauthFor }: ConnectOptions,
  { onRefused, onOverflow }: TransportEvents,
): ProgramTransport | HttpTransport {
  if (settings.kind === 'program') {
    const transport = new ProgramTransport(settings, log);
    transport.onOverflow = onOverflow;
    return transport;
  }
  const authProvider = oauthFor(settings);
  return new HttpTransport(settings.url, {
    fetch: boundedFetch(serverFetch(settings, onRefused), maxMessageBytes, onOverflow),
    ...(authProvider === undefined ? {} : { authProvider }),
  });
}

function makeClient({ onQuestion, onToolsChanged }: ConnectOptions, legacy: boolean, leftMs: number): Client {
  const client = new Client(
    { name: 'shallot', version: manifest.version },
    {
      capabilities: { elicitation: { form: { applyDefaults: true }, url: {} } },
      // If a server does not respond to the question about its revision, half of the time is left for the legacy
      // handshake.
      versionNegotiation: legacy ? { mode: 'legacy' } : { mode: 'auto', probe: { timeoutMs: leftMs / 2 } },
      inputRequired: { autoFulfill: false },
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: onToolsChanged } },
    },
  );
  client.setRequestHandler('elicitation/create', onQuestion);
  return client;
}

/** Returns true if the server exited because it did not know the first message. */
function endedWhenAsked(error: unknown): boolean {
  const reason = error instanceof ProgramEnded ? error.cause : error;
  return (
    reason instanceof SdkError &&
    reason.code === SdkErrorCode.EraNegotiationFailed &&
    reason.message.includes('closed during the server/discover probe')
  );
}

async function inTime(connecting: Promise<void>, ms: number, signal: AbortSignal): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new SdkError(SdkErrorCode.RequestTimeout, `it took longer than ${ms} ms`)),
    ms,
  );
  const abort = (): void => late.reject(new Error('it was closed before it had started'));
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  try {
    await Promise.race([connecting, late.promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
    connecting.catch(() => {
      // The caller has already received the timeout or abort.
    });
  }
}

/** Replaces the client's error by the end of the program, if it ended. */
function withEnding(error: unknown, transport: ProgramTransport | HttpTransport): unknown {
  const ending = transport instanceof ProgramTransport ? transport.ending : undefined;
  return ending === undefined ? error : new ProgramEnded(ending, { cause: error });
}
