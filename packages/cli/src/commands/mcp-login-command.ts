import { dirname } from 'node:path';

import { isShallotError } from '@shallot/core';
import { loadPluginOptions } from '@shallot/core/command';
import { visible } from '@shallot/core/plugin';
import type * as Login from '@shallot/plugin-mcp/login';

import { configLoading, type AgentCommandOptions } from '../asking/config-loading.ts';
import { CommandFailure } from '../terminal/command-failure.ts';
import { exitStatus } from '../terminal/exit-status.ts';
import type { Screen } from '../terminal/screen.ts';
import { importPlugin } from '../work/import-plugin.ts';

const tenMinutes = 10 * 60_000;

/** `shallot mcp login`: logs in to a server of the config, for the agents that use it. */
export async function mcpLoginCommand(
  server: string,
  options: AgentCommandOptions,
  screen: Screen,
): Promise<void> {
  const { entries, path, env } = await loadPluginOptions('mcp', configLoading(options, screen)).catch(
    (cause: unknown) => {
      throw new CommandFailure(exitStatus.usage, { cause });
    },
  );
  if (entries.length === 0)
    throw new CommandFailure(
      exitStatus.usage,
      `${visible(path)} has no plugin "mcp". Add it: shallot add mcp`,
    );
  const { loginToServer } = await importPlugin<typeof Login, 'loginToServer'>({
    entry: '@shallot/plugin-mcp/login',
    functions: ['loginToServer'],
    command: 'shallot mcp login',
    directory: dirname(path),
  });
  const how = {
    open: (url: URL) => screen.note(`Open this page, and log in:\n${visible(url.href)}`),
    signal: AbortSignal.any([screen.broken, AbortSignal.timeout(tenMinutes)]),
  };
  for (const [index, { options: given, directory }] of entries.entries()) {
    try {
      const isNew = await loginToServer(server, given, { directory, env }, how);
      screen.note(
        isNew ? `You are logged in to ${visible(server)}.` : `${visible(server)} requires no login.`,
      );
      return;
    } catch (cause) {
      const isLast = index === entries.length - 1;
      if (isLast || !isShallotError(cause, 'mcp/SERVER_UNKNOWN'))
        throw new CommandFailure(exitStatus.usage, { cause });
    }
  }
}
