import { once } from 'node:events';

import type { Plugin } from '@shallot/core';
import type * as Serving from '@shallot/server';

import type { AgentCommandOptions } from '../asking/config-loading.ts';
import { noteWarning } from '../rendering/note-failure.ts';
import { CommandFailure } from '../terminal/command-failure.ts';
import { exitStatus } from '../terminal/exit-status.ts';
import type { Screen } from '../terminal/screen.ts';
import { watchStopSignals } from '../terminal/stop-signals.ts';
import { visibleLine } from '../terminal/visible.ts';
import { importPlugin } from './import-plugin.ts';
import { RequestLog } from './request-log.ts';
import { withAgent, type OpenedAgent } from './with-agent.ts';

/** The place where an agent is served, as typed. */
export interface TypedPlace {
  /** The port as typed. */
  readonly port?: string;
  readonly host?: string;
}

/** The way in which an agent is served. */
export interface HttpServing {
  /** The command, for messages. */
  readonly command: string;
  readonly place: Serving.ListenOptions;
  /** Returns other protocols to serve. Default: none. */
  readonly mounts?: (opened: OpenedAgent) => NonNullable<Serving.ServerOptions['mounts']>;
  /** Plugins beside those of the config. Default: none. */
  readonly plugins?: readonly Plugin[];
  /** The path that is printed with the address. Default: none. */
  readonly path?: string;
}

/** The functions of `@shallot/server` that the command calls. */
type Needed = 'createServer' | 'listen';

/**
 * Serves the agent of a config over HTTP until it is stopped; runs in progress then finish their step, and are resumed at the
 * next start. A second signal ends the process at once.
 */
export async function serveOverHttp(
  options: AgentCommandOptions,
  serving: HttpServing,
  screen: Screen,
): Promise<void> {
  const stop = watchStopSignals(() =>
    screen.note('Stopping: runs finish their step, and are left to be resumed … (signal again to end now)'),
  );
  // A stop during the start aborts the start; later, the server ends by itself.
  const starting = new AbortController();
  stop.signal.addEventListener('abort', () => starting.abort(), { once: true });
  const requests = new RequestLog();
  const parts = { plugins: [requests.plugin, ...(serving.plugins ?? [])] };
  try {
    await withAgent(options, { screen, signal: starting.signal, parts }, (opened) =>
      screen.uncaught.orFailed(stop.signal, (signal) => serve(opened, serving, { screen, signal, requests })),
    );
  } catch (error) {
    if (!stop.signal.aborted || error !== starting.signal.reason) throw error;
  } finally {
    stop.end();
  }
}

async function serve(
  opened: OpenedAgent,
  { command, place, mounts, path = '' }: HttpServing,
  {
    screen,
    signal,
    requests,
  }: { readonly screen: Screen; readonly signal: AbortSignal; readonly requests: RequestLog },
): Promise<void> {
  const { agent, store, config } = opened;
  const needed = { entry: '@shallot/server', command, directory: config.directory } as const;
  const { createServer, listen } = await importPlugin<typeof Serving, Needed>({
    ...needed,
    functions: ['createServer', 'listen'],
  });
  const { port, host, tokens, limits, secret: _, mcp: _mcp, ...settings } = config.merged.plain.serve ?? {};
  const { headerBytes, ...otherLimits } = limits ?? {};
  const onError = (error: unknown): void => noteWarning(error, screen);
  const auth = tokens === undefined ? {} : { auth: { tokens } };
  const own = {
    ...(port === undefined ? {} : { port }),
    ...(host === undefined ? {} : { host }),
    ...(headerBytes === undefined ? {} : { headerBytes }),
  };
  const { onRequest } = requests;
  const [server, listening] = await start(
    () =>
      createServer(
        { agent, store },
        {
          ...settings,
          limits: otherLimits,
          ...auth,
          ...(mounts && { mounts: mounts(opened) }),
          onRequest,
          onError,
        },
      ),
    (made) => listen(made, { ...own, ...place }),
  );
  screen.note(`Serving ${visibleLine(agent.name)} at ${listening.url}${path}`);
  if (tokens === undefined)
    screen.note('Everybody on this machine is its operator: the config has no serve.tokens.');
  if (!signal.aborted) await once(signal, 'abort');
  await server.close();
  await listening.close();
}

/** Starts the server. Rejects with a usage failure for wrong settings or a port in use. */
async function start(
  create: () => Serving.AgentServer,
  listen: (server: Serving.AgentServer) => Promise<Serving.Listening>,
): Promise<readonly [Serving.AgentServer, Serving.Listening]> {
  let server: Serving.AgentServer | undefined;
  try {
    server = create();
    return [server, await listen(server)];
  } catch (cause) {
    await server?.close();
    throw new CommandFailure(exitStatus.usage, { cause });
  }
}

/** Reads the place to listen at. @throws a usage failure for an invalid port */
export function placeOf({ port, host }: TypedPlace): Serving.ListenOptions {
  if (port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) <= 65_535))
    throw new CommandFailure(
      exitStatus.usage,
      `--port is "${visibleLine(port)}"; write a number up to 65535.`,
    );
  return { ...(port === undefined ? {} : { port: Number(port) }), ...(host === undefined ? {} : { host }) };
}
