import { expect, it } from 'vitest';

import { calledAs } from './called-as.ts';

it.each([
  [{}, 'shallot'],
  [{ npm_command: 'exec', npm_config_user_agent: 'npm/11.19.1 node/v24.21.0' }, 'npx shallot'],
  [{ npm_command: 'exec', npm_config_user_agent: 'pnpm/12.21.0 npm/? node/?' }, 'pnpm exec shallot'],
  [{ npm_command: 'run', npm_config_user_agent: 'npm/11.19.1' }, 'shallot'],
])('a command called with %j is called again by %j', (env, words) => {
  expect(calledAs(env)).toBe(words);
});
