import { shallotSubject } from './shallot.ts';

/** Shallot whose runs name no session, in the default store. */
export const subject = shallotSubject({ isAnonymous: true });
