import { expect, it } from 'vitest';

import { raceToResume } from '../../../test/programs/resume-race.ts';

it('lets exactly one of two to eight processes go on with a session, hundreds of times', async () => {
  expect(await raceToResume(300)).toContain('STORE_CONFLICT');
});
