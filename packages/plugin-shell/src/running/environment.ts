import { fitsPattern } from '@shallot/core/plugin';

import type { Settings } from '../options.ts';

/** Variables that show programs that no person answers questions or closes a pager. */
const unattended = { TERM: 'dumb', NO_COLOR: '1', PAGER: 'cat', GIT_PAGER: 'cat', GIT_TERMINAL_PROMPT: '0' };

/**
 * Settings of git that keep files of a directory from being executed. They take precedence over the settings of the
 * directory.
 */
const closedGit: readonly (readonly [key: string, value: string])[] = [
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', '/dev/null'],
  ['safe.bareRepository', 'explicit'],
  ['protocol.ext.allow', 'never'],
];

/**
 * Returns the variables that commands see: the named ones of the agent's environment, those for programs that no person
 * watches, and those that are set. With `isUnseen`, for lines that no person sees, git executes nothing that the config of
 * a repository names.
 */
export function environment(
  { env: names, variables }: Pick<Settings, 'env' | 'variables'>,
  env: NodeJS.ProcessEnv,
  isUnseen: boolean,
): NodeJS.ProcessEnv {
  const passed = Object.entries(env).filter(([name]) => names.some((pattern) => fitsPattern(pattern, name)));
  const seen: NodeJS.ProcessEnv = { ...Object.fromEntries(passed), ...unattended, ...variables };
  return isUnseen ? { ...seen, ...gitVariables(Number(seen['GIT_CONFIG_COUNT'] ?? 0)) } : seen;
}

/** Returns the variables that pass the settings to git, after those that are set already. */
function gitVariables(first: number): NodeJS.ProcessEnv {
  const variables: NodeJS.ProcessEnv = { GIT_CONFIG_COUNT: String(first + closedGit.length) };
  for (const [index, [key, value]] of closedGit.entries()) {
    variables[`GIT_CONFIG_KEY_${first + index}`] = key;
    variables[`GIT_CONFIG_VALUE_${first + index}`] = value;
  }
  return variables;
}
