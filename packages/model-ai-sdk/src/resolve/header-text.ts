import { ShallotError } from '@shallot/core';
import type { ProviderModelEntry } from '@shallot/core/model';

import type { At } from './at.ts';

/** Returns true if a string is a valid HTTP header value; clients trim white space around it. */
export function fitsHeader(value: string): boolean {
  return /^[\t\u0020-\u007E\u0080-\u00FF]*$/.test(value.trim());
}

/**
 * Rejects invalid headers before the first request. @throws `CONFIG_INVALID` without the value, which may be a secret
 */
export function refuseHeaders(headers: ProviderModelEntry['headers'] = {}, at: At): void {
  for (const [name, value] of Object.entries(headers)) {
    if (isHeaderName(name) && fitsHeader(value)) continue;
    const what = isHeaderName(name)
      ? 'its value contains a line break or a character'
      : 'its name contains a character';
    const message = `The header ${JSON.stringify(name)} of the model cannot be sent: ${what} that HTTP does not allow there. Fix it.`;
    throw new ShallotError('CONFIG_INVALID', { message, ...at('headers') });
  }
}

/** Returns true if a string is a valid HTTP header name. */
function isHeaderName(name: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(name);
}
