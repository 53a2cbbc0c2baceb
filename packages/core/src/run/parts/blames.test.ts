import { expect, test } from 'vitest';

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
