import { describe, expect, it } from 'vitest';

import { AddressRules } from './address-rules.ts';
import { addressRefused, checkedLookup, resolveHost, type Resolve } from './checked-lookup.ts';

const mixed = [
  { address: '10.0.0.1', family: 4 },
  { address: '93.184.215.14', family: 4 },
  { address: '2606:4700:4700::1111', family: 6 },
];

/** Looks up a host as a socket does. Returns the arguments of its callback. */
function lookUp(
  resolve: Resolve,
  options: { readonly all?: boolean } = {},
  unchecked: readonly string[] = [],
): Promise<readonly unknown[]> {
  const lookup = checkedLookup(new AddressRules([]), resolve, new Set(unchecked));
  return new Promise((settle) => lookup('host.test', options, (...told) => settle(told)));
}

const naming =
  (addresses: typeof mixed): Resolve =>
  (_, done) =>
    done(null, addresses);

describe('a lookup', () => {
  it('gives the first address that is allowed, or all of them', async () => {
    expect(await lookUp(naming(mixed))).toEqual([null, '93.184.215.14', 4]);
    expect(await lookUp(naming(mixed), { all: false })).toEqual([null, '93.184.215.14', 4]);
    expect(await lookUp(naming(mixed), { all: true })).toEqual([null, mixed.slice(1)]);
    expect(await lookUp(naming(mixed.slice(2)))).toEqual([null, '2606:4700:4700::1111', 6]);
  });

  it('gives all addresses of the host of a proxy', async () => {
    expect(await lookUp(naming(mixed), { all: true }, ['host.test'])).toEqual([null, mixed]);
  });

  it.each([true, false])('refuses a host without an address that is allowed (all: %s)', async (all) => {
    expect(await lookUp(naming(mixed.slice(0, 1)), { all })).toEqual([
      addressRefused('host.test', '10.0.0.1'),
      '',
      0,
    ]);
    expect(await lookUp(naming([]), { all })).toEqual([addressRefused('host.test'), '', 0]);
  });

  it('passes on the error of the resolver', async () => {
    const error = Object.assign(new Error('no such host'), { code: 'ENOTFOUND' });
    expect(await lookUp((_, done) => done(error, []))).toEqual([error, '', 0]);
  });
});

it('a refusal names the host, and its address if that is another', () => {
  const rest = 'is not on the public internet, and is not connected to.';
  expect(addressRefused('host.test', '10.0.0.1').message).toContain(`host.test, which is 10.0.0.1, ${rest}`);
  expect(addressRefused('10.0.0.1', '10.0.0.1').message).toContain(`The host 10.0.0.1 ${rest}`);
  expect(addressRefused('host.test').message).toContain(`The host host.test ${rest}`);
});

it('the resolver of the machine knows the addresses of this machine', async () => {
  const addresses = await new Promise((settle) => resolveHost('localhost', (_, found) => settle(found)));
  expect(addresses).toEqual(
    expect.arrayContaining([
      { address: expect.stringMatching(/^(127\.|::1$)/) as string, family: expect.any(Number) as number },
    ]),
  );
});
