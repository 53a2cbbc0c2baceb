import type { LoadConfigOptions } from '@shallot/core/config';
import { createRedactor } from '@shallot/core/plugin';

import type { Screen } from '../terminal/screen.ts';
import { askAboutChanges, type AskingAboutChanges } from './ask-about-changes.ts';

/**
 * Returns the options with which every command loads a config. The variables of the `.env` file are added to the
 * process environment before a config in code runs, unless an embedding program set another environment. From then on,
 * output is redacted. */
export function configLoading(
  { config }: AgentCommandOptions,
  screen: Screen,
  asking: AskingAboutChanges = {},
): LoadConfigOptions {
  const { cwd, env } = screen.io;
  // A copy from before the `.env` file was read: variables of the shell take precedence, and a reloaded file replaces
  // those of the earlier one.
  const shell = { ...env };
  return {
    cwd,
    env,
    ...(config !== undefined && { path: config }),
    onEnvFile: ({ values }) => {
      screen.redactor = createRedactor({ environment: { ...values, ...shell } });
      if (env === process.env) Object.assign(process.env, { ...values, ...shell });
    },
    onChangedFiles: (files) => askAboutChanges(files, screen, asking),
    onRedactor: (redactor) => {
      screen.redactor = redactor;
    },
  };
}

/** The options of commands that need an agent. */
export interface AgentCommandOptions {
  /** The config file. Default: the nearest one from the working directory upwards. */
  readonly config?: string;
}
