import { definePlugin } from '../../src/contract/define-plugin.ts';
import type { Plugin } from '../../src/contract/plugin.ts';
import type { Bug } from './bugs.ts';
import type { Call } from './misdeed.ts';

/** A place at which a bug prevents the creation of an agent. */
export interface StartingPlace {
  readonly name: string;
  plugin(bug: Bug): Plugin;
}

const call: Call = { value: {}, next: undefined, run: {} };

/** All places that are reached before the first run. */
export const startingPlaces: readonly StartingPlace[] = [
  { name: 'setup', plugin: (bug) => definePlugin({ name: 'bad', setup: () => bug.commit(call) as never })() },
  {
    name: 'onStart',
    plugin: (bug) =>
      definePlugin({ name: 'bad', setup: ({ onStart }) => onStart(() => bug.commit(call) as never) })(),
  },
  {
    name: 'onReady',
    plugin: (bug) =>
      definePlugin({ name: 'bad', setup: ({ onReady }) => onReady(() => bug.commit(call) as never) })(),
  },
  { name: 'the options schema', plugin: withSchema },
];

function withSchema(bug: Bug): Plugin {
  const validate = (): never => bug.commit(call) as never;
  return definePlugin({
    name: 'bad',
    version: '1.0.0',
    api: '^1.0.0',
    options: { '~standard': { version: 1, vendor: 'test', validate } },
    setup: () => undefined,
  })();
}
