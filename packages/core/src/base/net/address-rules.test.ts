import { describe, expect, it } from 'vitest';

import { AddressRules, parseRange } from './address-rules.ts';

describe('addresses', () => {
  const rules = new AddressRules([]);

  it.each([
    '8.8.8.8',
    '1.1.1.1',
    '93.184.215.14',
    '100.63.255.255',
    '100.128.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '192.167.255.255',
    '223.255.255.255',
    '2606:4700:4700::1111',
    '2a00:1450:4001:80b::200e',
    '::ffff:8.8.8.8',
    '64:ff9b::8.8.8.8',
    '64:ff9b::808:808',
  ])('allows %s', (address) => {
    expect(rules.allows(address)).toBe(true);
  });

  it.each([
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.192',
    '192.0.2.1',
    '192.168.1.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::127.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:10.0.0.1',
    '0:0:0:0:0:ffff:a9fe:a9fe',
    '64:ff9b::127.0.0.1',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b::',
    '64:ff9b::7f00:0',
    '64:ff9b:1::1',
    '100::1',
    '2001::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '3fff::1',
    'fc00::1',
    'fd12:3456::1',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    'not an address',
    '',
    '1.2.3',
  ])('refuses %j', (address) => {
    expect(rules.allows(address)).toBe(false);
  });

  it('allows private ones that the options name, also where they are embedded', () => {
    const some = new AddressRules(['127.0.0.1', '10.0.0.0/8', 'fd00::/8']);
    expect(['127.0.0.1', '10.9.8.7', 'fd00::7', '::ffff:127.0.0.1'].map((each) => some.allows(each))).toEqual(
      [true, true, true, true],
    );
    expect(['127.0.0.2', '11.0.0.1', 'fc00::1', '192.168.0.1'].map((each) => some.allows(each))).toEqual([
      false,
      true,
      false,
      false,
    ]);
  });

  it.each(['10.0.0.0/33', '10.0.0/8', '::/129', 'a', '1.2.3.4/x', '1.2.3.4/8/8', 'fe80::1%eth0', ''])(
    'have no range %j',
    (text) => {
      expect(parseRange(text)).toBeUndefined();
    },
  );
});
