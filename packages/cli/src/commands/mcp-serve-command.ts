import { dirname, join, resolve } from 'node:path';

import { keptKey } from '@shallot/core/plugin';
import type * as Mcp from '@shallot/mcp-server';
import type * as Serving from '@shallot/server';

import manifest from '../../package.json' with { type: 'json' };
import type { AgentCommandOptions } from '../asking/config-loading.ts';
import { noteFailure, noteWarning } from '../rendering/note-failure.ts';
import { CommandFailure } from '../terminal/command-failure.ts';
import { exitStatus } from '../terminal/exit-status.ts';
import type { Screen } from '../terminal/screen.ts';
import { watchStopSignals } from '../terminal/stop-signals.ts';
import { importPlugin } from '../work/import-plugin.ts';
import { placeOf, serveOverHttp, type TypedPlace } from '../work/serve-over-http.ts';
import { withAgent, type OpenedAgent } from '../work/with-agent.ts';

export interface McpServeCommandOptions extends AgentCommandOptions, TypedPlace {
  /** True to listen for streamable HTTP instead of stdin. */
  readonly http?: boolean;
}

type McpPackage = Pick<typeof Mcp, 'mcpMount' | 'serveMcpStdio' | 'AgentOffer'>;

const command = 'shallot mcp serve';
const path = '/mcp';
const program = { name: 'shallot', version: manifest.version } as const;

/**
 * `shallot mcp serve`: serves the agent to MCP clients as a tool, over stdin and stdout until the client ends the connection,
 * or over HTTP until it is stopped. Returns the exit status.
 */
export async function mcpServeCommand(options: McpServeCommandOptions, screen: Screen): Promise<number> {
  const place = placeOf(options);
  if (options.http !== true && (options.port !== undefined || options.host !== undefined))
    throw new CommandFailure(
      exitStatus.usage,
      '--port and --host are for HTTP. Add --http, or leave them out.',
    );
  const { config } = options;
  const directory = typeof config === 'string' ? dirname(resolve(screen.io.cwd, config)) : screen.io.cwd;
  const mcp = await importPlugin<typeof Mcp, keyof McpPackage>({
    entry: '@shallot/mcp-server',
    functions: ['mcpMount', 'serveMcpStdio', 'AgentOffer'],
    command,
    directory,
  });
  const offer = new mcp.AgentOffer();
  if (options.http !== true) return serveStdio(mcp, offer, options, screen);
  const mounts = (opened: OpenedAgent) => ({ [path]: mcp.mcpMount(mcpOptions(opened, offer)) });
  await serveOverHttp(options, { command, place, mounts, path, plugins: [offer.plugin] }, screen);
  return exitStatus.completed;
}

/** Returns the options of the MCP server. @throws a usage failure for tools that cannot be offered */
function mcpOptions({ config, agent }: OpenedAgent, offer: Mcp.AgentOffer): Mcp.McpOptions {
  const { secret, execute, mcp: { output, tools = [] } = {} } = config.merged.plain.serve ?? {};
  if (tools.length > 0 && execute === 'workers')
    throw new CommandFailure(
      exitStatus.usage,
      'serve.mcp.tools needs the runs in this process: a worker would ask the model for each call. Take out serve.execute.',
    );
  try {
    return {
      program,
      secret: secret === undefined ? keptKey(join(config.directory, '.shallot/key')) : () => secret,
      ...(output !== undefined && { output }),
      offered: offer.of(agent, tools),
    };
  } catch (cause) {
    throw new CommandFailure(exitStatus.usage, { cause });
  }
}

/** Serves one client. If the config does not load, the client's requests are answered with the error, too. */
async function serveStdio(
  { serveMcpStdio }: McpPackage,
  offer: Mcp.AgentOffer,
  options: AgentCommandOptions,
  screen: Screen,
): Promise<number> {
  const stop = watchStopSignals(() => screen.note('Stopping …'));
  const { stdin, stdout } = screen.io;
  const connect = async (
    server: Parameters<McpPackage['serveMcpStdio']>[0],
    own: Mcp.McpOptions,
  ): Promise<void> => {
    const onError = (error: unknown): void => noteWarning(error, screen);
    const connection = serveMcpStdio(server, { ...own, stdin, stdout, onError });
    const end = (): void => void connection.close();
    stop.signal.addEventListener('abort', end, { once: true });
    if (stop.signal.aborted) end();
    await connection.closed;
  };
  try {
    const parts = { plugins: [offer.plugin] };
    await withAgent({ ...options, quiet: true }, { screen, signal: stop.signal, parts }, async (opened) => {
      const own = mcpOptions(opened, offer);
      const server = await made(opened, screen);
      try {
        await connect(server, own);
      } finally {
        await server.close();
      }
    });
    return exitStatus.completed;
  } catch (error) {
    if (stop.signal.aborted) return exitStatus.completed;
    if (!(error instanceof CommandFailure) || !(error.cause instanceof Error)) throw error;
    const { cause } = error;
    const status = noteFailure(error, screen);
    await connect(cause, { program, secret: () => '' });
    return status;
  } finally {
    stop.end();
  }
}

/** Creates the server that starts a client's runs. Rejects with a usage failure. */
async function made({ agent, store, config }: OpenedAgent, screen: Screen): Promise<Serving.AgentServer> {
  const { createServer } = await importPlugin<typeof Serving, 'createServer'>({
    entry: '@shallot/server',
    functions: ['createServer'],
    command,
    directory: config.directory,
  });
  const { execute, concurrency } = config.merged.plain.serve ?? {};
  const onError = (error: unknown): void => noteWarning(error, screen);
  const settings = {
    ...(execute !== undefined && { execute }),
    ...(concurrency !== undefined && { concurrency }),
  };
  try {
    return createServer({ agent, store }, { ...settings, onError });
  } catch (cause) {
    throw new CommandFailure(exitStatus.usage, { cause });
  }
}
