import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';

import { ShallotError } from '../errors.ts';
import type { AddressRules } from './address-rules.ts';

/** Resolves a name to all its addresses. */
export type Resolve = (
  hostname: string,
  done: (error: NodeJS.ErrnoException | null, addresses: readonly LookupAddress[]) => void,
) => void;

/** The machine's own resolver. */
export const resolveHost: Resolve = (hostname, done) =>
  process.getBuiltinModule('node:dns').lookup(hostname, { all: true }, done);

/**
 * Returns a lookup function for sockets that only returns permitted addresses. The socket connects to the address that
 * was checked, so DNS rebinding is not possible. `unchecked` are the hosts of proxies.
 */
export function checkedLookup(
  rules: AddressRules,
  resolve: Resolve,
  unchecked: ReadonlySet<string>,
): LookupFunction {
  return (hostname, { all = false }, callback) => {
    resolve(hostname, (error, addresses) => {
      if (error !== null) return callback(error, '', 0);
      const isAllowed = ({ address }: LookupAddress): boolean =>
        unchecked.has(hostname) || rules.allows(address);
      const allowed = addresses.filter(isAllowed);
      const [first] = allowed;
      if (first === undefined) return callback(addressRefused(hostname, addresses[0]?.address), '', 0);
      return all ? callback(null, allowed) : callback(null, first.address, first.family);
    });
  };
}

export function addressRefused(hostname: string, address?: string): ShallotError {
  const what = address === undefined || address === hostname ? '' : `, which is ${address},`;
  return new ShallotError('ADDRESS_REFUSED', {
    message: `The host ${hostname}${what} is not on the public internet, and is not connected to. To allow it, list its address in the option allowAddresses.`,
  });
}
