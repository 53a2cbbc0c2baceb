import { shallotSubject } from './shallot.ts';

/** Shallot with runs that name no session, over the default store. */
export const subject = shallotSubject({ isAnonymous: true });
