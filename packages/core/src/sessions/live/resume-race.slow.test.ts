import { expect, it } from 'vitest';

import { raceToResume } from '../../../test/programs/resume-race.ts';

// More of them are run by the long tests.
it('lets exactly one of two to eight processes go on with a session', async () => {
  expect(await raceToResume(8)).toContain('STORE_CONFLICT');
});
