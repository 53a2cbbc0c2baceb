import type { Io } from './io.ts';

/** Returns the words that a person types to call this command again: those of npx or `pnpm exec`, if it was called so. */
export function calledAs(env: Io['env']): string {
  if (env['npm_command'] !== 'exec') return 'shallot';
  return env['npm_config_user_agent']?.startsWith('pnpm/') === true ? 'pnpm exec shallot' : 'npx shallot';
}
