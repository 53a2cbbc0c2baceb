import { randomId } from '../base/node-crypto.ts';

const form = /^anonymous_[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** The id of a session that nobody named and that is forgotten with its run. */
export function anonymousId(): string {
  return randomId('anonymous');
}

/** Whether an id is one that `anonymousId` makes. */
export function isAnonymous(sessionId: string): boolean {
  return form.test(sessionId);
}
