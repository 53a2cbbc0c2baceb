import { ShallotError } from '@shallot/core';
import type { ProviderModelEntry } from '@shallot/core/config';

import type { At } from './at.ts';

/** Whether HTTP can send a text as the value of a header; spaces and line breaks around it are left out by every client. */
export function fitsHeader(value: string): boolean {
  return /^[\t\u0020-\u007E\u0080-\u00FF]*$/.test(value.trim());
}

/** Refuses headers that would fail at the first request. @throws `CONFIG_INVALID`, without the value: it may be a secret */
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

/** Whether HTTP takes a text as the name of a header. */
function isHeaderName(name: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(name);
}
