import { ShallotError } from '@shallot/core';
import type { ProviderModelEntry } from '@shallot/core/model';
import { headerFault } from '@shallot/core/plugin';

import type { At } from './at.ts';

/** Returns true if a string is a valid HTTP header value; clients trim white space around it. */
export function fitsHeader(value: string): boolean {
  return headerFault('key', value) === undefined;
}

/**
 * Rejects invalid headers before the first request. @throws `CONFIG_INVALID` without the value, which may be a secret
 */
export function refuseHeaders(headers: ProviderModelEntry['headers'] = {}, at: At): void {
  for (const [name, value] of Object.entries(headers)) {
    const fault = headerFault(name, value);
    if (fault === undefined) continue;
    const message = `The header ${JSON.stringify(name)} of the model cannot be sent: ${fault}. Fix it.`;
    throw new ShallotError('CONFIG_INVALID', { message, ...at('headers') });
  }
}
