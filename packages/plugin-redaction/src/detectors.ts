import { findEmails, findIps, findMacs, findUrls } from './find-addresses.ts';
import type { Stretch } from './find-all.ts';
import { findCards, findIbans } from './find-numbers.ts';
import { findPhones } from './find-phones.ts';

/** The built-in kinds of data to detect. */
export const kinds = ['secret', 'email', 'card', 'iban', 'phone', 'ip', 'mac', 'url'] as const;

/** A built-in kind of data to detect. */
export type Kind = (typeof kinds)[number];

/** Finds matches from an index on; the text before it is only context. */
export interface Detector {
  readonly kind: string;
  readonly find: (text: string, from: number) => readonly Stretch[];
  /**
   * Matches a part of every possible match, beginning with a rare character, by a cheap pattern. Text without it is
   * not searched.
   */
  readonly sign: RegExp;
}

/** The detectors based on patterns; the core's redactor finds secrets. */
export const detectors: readonly Detector[] = [
  { kind: 'email', find: findEmails, sign: /@/ },
  {
    kind: 'card',
    find: findCards,
    sign: /\d{13}|\d{4}[ .\u00a0\u2009-]\d{4}(?:\d\d)?[ .\u00a0\u2009-]\d{4}/,
  },
  { kind: 'iban', find: findIbans, sign: /(?<=[A-Za-z]{2})\d\d[ \u00a0-]?[A-Za-z\d]/ },
  { kind: 'phone', find: findPhones, sign: /\d(?:[ \u00a0.()/\u2010-\u2013-]{0,3}\d){6}/ },
  { kind: 'ip', find: findIps, sign: /\d\.\d{1,3}\.\d|:[\dA-Fa-f]{0,4}:/ },
  { kind: 'mac', find: findMacs, sign: /[:-][\dA-Fa-f]{2}[:-]|\.[\dA-Fa-f]{4}\./ },
  { kind: 'url', find: findUrls, sign: /:\/\/|www\./i },
];
