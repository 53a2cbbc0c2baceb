import { dirname } from 'node:path';
import { Writable } from 'node:stream';

import type * as Acp from '@shallot/acp';
import type { Agent } from '@shallot/core';
import type { LoadAgentOptions } from '@shallot/core/config';
import type * as Mcp from '@shallot/plugin-mcp';

import manifest from '../../package.json' with { type: 'json' };
import type { AgentCommandOptions } from '../asking/config-loading.ts';
import { noteFailure } from '../rendering/note-failure.ts';
import { CommandFailure } from '../terminal/command-failure.ts';
import { exitStatus } from '../terminal/exit-status.ts';
import type { Screen } from '../terminal/screen.ts';
import { watchStopSignals } from '../terminal/stop-signals.ts';
import { importPlugin } from '../work/import-plugin.ts';
import { withAgent, type OpenedAgent } from '../work/with-agent.ts';

/** The functions of `@shallot/acp` that the command calls. */
type Needed = 'serveAcp' | 'editorFiles' | 'editorPlugin';

/**
 * `shallot acp`: serves the agent to an editor over stdin and stdout until the editor ends the connection, or a
 * signal does. If the config does not load, the editor's requests are answered with the error, too. Returns the exit
 * status.
 */
export async function acpCommand(options: AgentCommandOptions, screen: Screen): Promise<number> {
  const stop = watchStopSignals(() => screen.note('Stopping …'));
  const { serveAcp, editorFiles, editorPlugin } = await importPlugin<typeof Acp, Needed>({
    entry: '@shallot/acp',
    functions: ['serveAcp', 'editorFiles', 'editorPlugin'],
    command: 'shallot acp',
    directory: screen.io.cwd,
  });
  const serve = async (served: Acp.ServeAcpOptions['served']): Promise<void> => {
    const connection = serveAcp({
      served,
      program: { name: 'shallot', version: manifest.version },
      input: screen.io.stdin,
      output: written(screen.io.stdout),
    });
    const end = (): void => void connection.close();
    stop.signal.addEventListener('abort', end, { once: true });
    if (stop.signal.aborted) end();
    await connection.closed;
  };
  const parts: Pick<LoadAgentOptions, 'filesOfRun' | 'plugins'> = {
    plugins: [editorPlugin()],
    filesOfRun: ({ context }, open) => editorFiles(context, open),
  };
  try {
    await withAgent({ ...options, quiet: true }, { screen, signal: stop.signal, parts }, async (first) => {
      let opened = first;
      const reload = async (): Promise<void> => {
        opened = await opened.reload({});
      };
      await serve(() => servedBy(opened, reload));
    });
  } catch (error) {
    if (stop.signal.aborted) return exitStatus.completed;
    if (!(error instanceof CommandFailure) || !(error.cause instanceof Error)) throw error;
    const { cause } = error;
    const status = noteFailure(error, screen);
    await serve(() => {
      throw cause;
    });
    return status;
  } finally {
    stop.end();
  }
  return exitStatus.completed;
}

function servedBy(
  { agent, store, path, config, makeModel }: OpenedAgent,
  reload: () => Promise<void>,
): Acp.ServedAgent {
  const directory = dirname(path);
  return {
    agent,
    store,
    directory,
    reload,
    ...config.merged.plain.acp,
    forSession: async ({ model, mcpServers }) => {
      const own = await agent.fork(model === undefined ? {} : { model: await makeModel(model) });
      const problems = await addServers(own, mcpServers, directory);
      return { agent: own, problems };
    },
  };
}

/** Adds an editor's MCP servers to the agent of a session. Returns the errors of those that do not start. */
async function addServers(
  agent: Agent,
  servers: Acp.SessionParts['mcpServers'],
  directory: string,
): Promise<readonly unknown[]> {
  const problems: unknown[] = [];
  for (const [index, [name, server]] of Object.entries(servers).entries()) {
    try {
      const needed = {
        entry: '@shallot/plugin-mcp',
        command: `The MCP server ${name} of the editor`,
      } as const;
      const { mcp } = await importPlugin<typeof Mcp, 'mcp'>({ ...needed, functions: ['mcp'], directory });
      await agent.use(mcp({ servers: { [name]: server } }), { id: `editor-mcp-${index + 1}` });
    } catch (error) {
      problems.push(error);
    }
  }
  return problems;
}

/** Returns a stream that writes to stdout, because the connection may end its stream, and stdout must stay open. */
function written(stdout: Screen['io']['stdout']): Writable {
  return new Writable({
    write: (chunk: Uint8Array, _encoding, done) => void stdout.write(chunk, done),
  });
}
