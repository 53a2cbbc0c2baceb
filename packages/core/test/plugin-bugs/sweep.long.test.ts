import { describe, expect, it } from 'vitest';

import { bugs } from './bugs.ts';
import { places } from './places.ts';
import { startingPlaces } from './starting-places.ts';
import { sweep, sweepStart } from './sweep.ts';

describe.each(places)('a bug in $name', (place) => {
  it('is named, and fails nothing but its run', async () => {
    expect(await sweep(place, bugs)).toEqual([]);
  });
});

describe.each(startingPlaces)('a bug in $name', (place) => {
  it('is named, with the place of the plugin, and the agent is not created', async () => {
    expect(await sweepStart(place, bugs)).toEqual([]);
  });
});
