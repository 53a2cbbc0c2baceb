import type { LoadConfigOptions } from '@shallot/core/config';
import { createRedactor } from '@shallot/core/plugin';

import type { Screen } from '../terminal/screen.ts';

/**
 * How every command loads a config. The `.env` beside it becomes part of the process's environment, where that is the one
 * in use, before a config that is code is run; what is shown from then on is free of the secrets of both.
 */
export function configLoading({ config }: AgentCommandOptions, screen: Screen): LoadConfigOptions {
  const { cwd, env } = screen.io;
  // A config that is read anew replaces what its `.env` has said before.
  const shell = { ...env };
  return {
    cwd,
    env,
    ...(config !== undefined && { path: config }),
    onEnvFile: ({ values }) => {
      screen.redactor = createRedactor({ environment: { ...values, ...shell } });
      if (env === process.env) Object.assign(process.env, { ...values, ...shell });
    },
    onRedactor: (redactor) => {
      screen.redactor = redactor;
    },
  };
}

/** What every command takes that needs an agent. */
export interface AgentCommandOptions {
  /** The config file; default: the nearest one from the working directory upwards. */
  readonly config?: string;
}
