import type Net from 'node:net';
import type { BlockList } from 'node:net';

type Family = 'ipv4' | 'ipv6';

interface Range {
  readonly address: string;
  readonly prefix: number;
  readonly family: Family;
}

/**
 * Ranges of IPv4 that are not public hosts (IANA's special-purpose registry), including multicast and reserved ones.
 */
const privateIpv4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
];

/** The range of all public IPv6 hosts, and the exceptions within it. */
const publicIpv6 = '2000::/3';
const specialIpv6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

/** Ranges whose last 32 bits are the IPv4 address that is reached. */
const embeddingIpv4 = ['::ffff:0:0/96', '64:ff9b::/96'];

/** Decides which addresses may be connected to: public ones, and those that are allowed. */
export class AddressRules {
  readonly #allowed: BlockList;
  readonly #refusedIpv4 = listOf(privateIpv4);
  readonly #publicIpv6 = listOf([publicIpv6]);
  readonly #refusedIpv6 = listOf(specialIpv6);
  readonly #embedding = listOf(embeddingIpv4);

  constructor(allowed: readonly string[]) {
    this.#allowed = listOf(allowed);
  }

  allows(given: string): boolean {
    const [address = ''] = given.split('%', 1);
    const version = nodeNet().isIP(address);
    if (version === 0) return false;
    const family = version === 4 ? 'ipv4' : 'ipv6';
    if (this.#allowed.check(address, family)) return true;
    if (family === 'ipv4') return !this.#refusedIpv4.check(address, family);
    if (this.#embedding.check(address, family)) return this.allows(embeddedIpv4(address));
    return this.#publicIpv6.check(address, family) && !this.#refusedIpv6.check(address, family);
  }
}

/** Parses an address or a CIDR range. Returns undefined for anything else. */
export function parseRange(text: string): Range | undefined {
  const [address = '', bits, ...more] = text.split('/');
  const version = nodeNet().isIP(address);
  if (version === 0 || more.length > 0 || address.includes('%')) return undefined;
  const longest = version === 4 ? 32 : 128;
  const prefix = bits === undefined ? longest : Number(bits);
  if (bits !== undefined && (!/^\d{1,3}$/.test(bits) || prefix > longest)) return undefined;
  return { address, prefix, family: version === 4 ? 'ipv4' : 'ipv6' };
}

function listOf(ranges: readonly string[]): BlockList {
  const list = new (nodeNet().BlockList)();
  for (const text of ranges) {
    const range = parseRange(text);
    if (range !== undefined) list.addSubnet(range.address, range.prefix, range.family);
  }
  return list;
}

/** Returns the last 32 bits of an IPv6 address as an IPv4 address. */
function embeddedIpv4(address: string): string {
  // The URL parser normalises addresses; the last two groups are hexadecimal.
  const groups = new URL(`http://[${address}]/`).hostname.slice(1, -1).split(':');
  const bytes = groups.slice(-2).flatMap((group) => {
    const number = Number.parseInt(group || '0', 16);
    return [number >> 8, number & 255];
  });
  return bytes.join('.');
}

/** Returns `node:net`, loaded on first use, because option descriptions do not need it. */
function nodeNet(): typeof Net {
  return process.getBuiltinModule('node:net');
}
