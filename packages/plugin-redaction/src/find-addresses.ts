import { isIPv6 } from 'node:net';

import { findAll, type Stretch } from './find-all.ts';
import { letters } from './letters.ts';

const letter = String.raw`${letters}\d`;
const email = new RegExp(
  String.raw`(?<![${letter}_.+%-])[${letter}_.+%-]{1,128}@[${letter}-]{1,63}(?:\.[${letter}-]{1,63}){1,8}`,
  'gu',
);

/** Finds e-mail addresses, but not versions of packages and names of files, which may also have an `@`. */
export function findEmails(text: string, from: number): Stretch[] {
  return findAll(email, text, from, (match) => {
    const domain = match.slice(match.lastIndexOf('@') + 1);
    // `package@1.2.3-next.rc` is a version, and `icon@2x.png` an image.
    return !/^\d+\.\d|^\dx\./.test(domain) && /\.[^\d.-][^.]*[^.-]$/.test(domain);
  }).map(({ start, end }) => ({ start: start + leadingDots(text, start), end }));
}

function leadingDots(text: string, start: number): number {
  let count = 0;
  while (/[.%-]/.test(text.charAt(start + count))) count += 1;
  return count;
}

const octet = String.raw`(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)`;
const ipV4 = new RegExp(String.raw`(?<![\w.-])(?:${octet}\.){3}${octet}(?![\w-]|\.\w)`, 'g');
const ipV6 = /(?<![\w:.])[\dA-Fa-f:]{3,39}(?:(?<=:)\d{1,3}(?:\.\d{1,3}){3})?(?![\w:]|\.\w)/g;
const versionBefore =
  /(?:version|release|build|firmware|v|ver|版本|バージョン|версия|versión|versione)[.:]?\s?$/i;

/** Finds IP addresses of both versions. */
export function findIps(text: string, from: number): Stretch[] {
  return [
    ...findAll(
      ipV4,
      text,
      from,
      (_, start) => !versionBefore.test(text.slice(Math.max(0, start - 12), start)),
    ),
    ...(text.includes(':', from) ? findAll(ipV6, text, from, isAddress) : []),
  ];
}

/** Returns true for IPv6 addresses; excludes short ones like `a::b`, which are usually names in code. */
function isAddress(match: string): boolean {
  const groups = match.split(':').filter(Boolean).length;
  return (
    isIPv6(match) &&
    /\d/.test(match) &&
    (groups > 2 || match.includes('.') || /^(?:[23][\da-f]{3}|f[cde][\da-f]{2}):/i.test(match))
  );
}

const mac =
  /(?<![\w:.-])(?:[\dA-Fa-f]{2}(?:[:-][\dA-Fa-f]{2}){5}|[\dA-Fa-f]{4}\.[\dA-Fa-f]{4}\.[\dA-Fa-f]{4})(?![\w:-]|\.\w)/g;

export function findMacs(text: string, from: number): Stretch[] {
  return findAll(mac, text, from, (match) => {
    const isMixed = match.includes(':') && match.includes('-');
    // `2026-11-22-10-30-59` has too many digits, but `20-26-11-22-10-30` could be a date.
    return !isMixed && !/^(?:19|20)(?:-\d\d){5}$/.test(match) && !/^[\d.]+$/.test(match);
  });
}

/** Matches text up to white space or quotes, or up to letters of languages without spaces. */
const url =
  /(?<![A-Za-z\d])(?:(?:https?|ftps?|wss?|sftp|ssh|file):\/\/|www\.)[^\s<>"'`„“”«»‹›\u2e80-\uffef]+/gi;
const behindUrl = new Set('.,;:!?)]}*_…’');

export function findUrls(text: string, from: number): Stretch[] {
  return findAll(url, text, from).map(({ start, end }) => ({ start, end: endOfUrl(text, end) }));
}

/** Excludes trailing punctuation, which usually belongs to the sentence. */
function endOfUrl(text: string, end: number): number {
  let at = end;
  while (behindUrl.has(text.charAt(at - 1))) at -= 1;
  return at;
}

/** All patterns of this file, for the test that none of them backtracks excessively. */
export const addressPatterns: readonly RegExp[] = [email, ipV4, ipV6, versionBefore, mac, url];
