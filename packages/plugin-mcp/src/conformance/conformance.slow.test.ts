import { expect, it } from 'vitest';

import { runConformance } from '../../test/conformance.ts';

// These two pass what most of the others do; all of them run in the long lane.
it.concurrent.each(['elicitation-sep1034-client-defaults', 'auth/scope-step-up'])(
  'the client passes the conformance scenario %s',
  async (scenario) => {
    const { output } = await runConformance('--scenario', scenario);
    expect(output.slice(-2000)).toContain('OVERALL: PASSED');
  },
  300_000,
);
