import { shallotSubject } from './shallot.ts';

/** Shallot with plain functions in all hooks. */
export const subject = shallotSubject({ taps: 'plain' });
