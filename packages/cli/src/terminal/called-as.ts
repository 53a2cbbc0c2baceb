import type { Io } from './io.ts';

/** Returns the words that call this command again: with npx or `pnpm exec`, if it was called through one of these. */
export function calledAs(env: Io['env']): string {
  if (env['npm_command'] !== 'exec') return 'shallot';
  return env['npm_config_user_agent']?.startsWith('pnpm/') === true ? 'pnpm exec shallot' : 'npx shallot';
}
