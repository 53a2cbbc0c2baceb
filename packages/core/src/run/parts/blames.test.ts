import { expect, it, test } from 'vitest';

import { ShallotError } from '../../base/errors.ts';
import type { LiveTap } from '../../hooks/live-tap.ts';
import type { Owner } from '../../hooks/owner.ts';
import { Blames } from './blames.ts';

test.each([['a text'], [undefined], [null], [new Error('an error')]])(
  'whatever is thrown has an origin, and the first one counts: %s',
  (thrown) => {
    const blames = new Blames();
    expect(blames.of(thrown)).toBeUndefined();
    blames.model(thrown);
    blames.surround({ id: 'later' } as Owner, thrown);
    expect(blames.of(thrown)).toEqual({});
  },
);

const tapOf = (owner: Partial<Owner>): LiveTap =>
  ({ owner, registration: { hook: 'beforeModel' } }) as LiveTap;

it('an error of a tap is that of its plugin and hook, and of the place that lists it', () => {
  const blames = new Blames();
  const [plain, listed] = [new Error('plain'), new Error('listed')];
  const at = { file: 'shallot.json', line: 3 };
  blames.tap(tapOf({ id: 'audit' }), plain);
  blames.tap(tapOf({ id: 'limits', at }), listed);
  expect(blames.of(plain)).toEqual({ plugin: 'audit', hook: 'beforeModel' });
  expect(blames.of(listed)).toEqual({ plugin: 'limits', at, hook: 'beforeModel' });
});

it.each<[string, ShallotError, string]>([
  [
    'an interceptor is its own, not that of the tap that it intercepts',
    new ShallotError('HOOK_INTERCEPTOR', { message: 'no', plugin: 'telemetry' }),
    'telemetry',
  ],
  [
    'an unnamed interceptor is that of the tap',
    new ShallotError('HOOK_INTERCEPTOR', { message: 'no' }),
    'audit',
  ],
  [
    'a service that a tap uses is that of the tap',
    new ShallotError('PLUGIN_FAILED', { message: 'no', plugin: 'telemetry' }),
    'audit',
  ],
])('an error of %s', (_, error, plugin) => {
  const blames = new Blames();
  blames.tap(tapOf({ id: 'audit' }), error);
  expect(blames.of(error)).toEqual({ plugin, hook: 'beforeModel' });
});
