import { fitsPattern } from '@shallot/core/plugin';

import type { Settings } from './options.ts';

/** Nobody answers a question, or leaves a pager. */
const unattended = { TERM: 'dumb', NO_COLOR: '1', PAGER: 'cat', GIT_PAGER: 'cat', GIT_TERMINAL_PROMPT: '0' };

/** The variables that commands see: those of the agent's environment that are named, and those that are set. */
export function environment({ env: names, variables }: Settings, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const passed = Object.entries(env).filter(([name]) => names.some((pattern) => fitsPattern(pattern, name)));
  return { ...Object.fromEntries(passed), ...unattended, ...variables };
}
