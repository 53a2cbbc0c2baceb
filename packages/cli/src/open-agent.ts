import { isShallotError, type Agent } from '@shallot/core';
import { loadAgent } from '@shallot/core/config';

import { CommandFailure } from './command-failure.ts';
import { exitStatus } from './exit-status.ts';
import { rejectOnAbort } from './read-question.ts';
import { renderError } from './render-error.ts';
import type { Screen } from './screen.ts';

/** What every command that needs an agent takes. */
export interface AgentCommandOptions {
  /** The config file; default: the nearest one from the working directory upwards. */
  readonly config?: string;
}

export interface OpenedAgent {
  readonly agent: Agent;
  /** The absolute path of the config file. */
  readonly path: string;
}

/**
 * The agent that the config file describes, set up and started; warnings go to stderr. Sessions outlive the process: a
 * config that names no store gets a database beside it, `.shallot/sessions.db`.
 * Rejects with a usage failure when the configuration is wrong, and with the signal's reason when that is aborted first.
 */
export async function openAgent(
  { config }: AgentCommandOptions,
  screen: Screen,
  signal?: AbortSignal,
): Promise<OpenedAgent> {
  const loading = load();
  return signal === undefined ? loading : Promise.race([loading, rejectOnAbort(signal)]);
}
