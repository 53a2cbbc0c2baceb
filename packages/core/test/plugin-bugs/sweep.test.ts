import { describe, expect, it } from 'vitest';

import { bugs } from './bugs.ts';
import { places } from './places.ts';
import { startingPlaces } from './starting-places.ts';
import { sweep, sweepStart } from './sweep.ts';

/** Every 40th bug is tried, starting with another one at each place, so that all places and most bugs are covered. */
const share = 40;

function shareOf(index: number): typeof bugs {
  return bugs.filter((_, each) => each % share === index % share);
}

describe.each(places.map((place, index) => ({ place, index })))(
  'a bug in $place.name',
  ({ place, index }) => {
    it('is named, and fails nothing but its run', async () => {
      expect(await sweep(place, shareOf(index))).toEqual([]);
    });
  },
);

describe.each(startingPlaces.map((place, index) => ({ place, index })))(
  'a bug in $place.name',
  ({ place, index }) => {
    it('is named, with the place of the plugin, and the agent is not created', async () => {
      expect(await sweepStart(place, shareOf(index))).toEqual([]);
    });
  },
);
