import { passesLuhn, passesMod97 } from './checksums.ts';
import { findAll, type Stretch } from './find-all.ts';
import { letters } from './letters.ts';

const gap = String.raw`[ .\u00a0\u2009-]`;
const card = new RegExp(
  String.raw`(?<![${letters}\d_]|\d[.,]|[${letters}]-)(?:\d{13,19}|\d{4}${gap}\d{4}${gap}\d{4}${gap}\d{4}(?:${gap}\d{1,3})?|\d{4}${gap}\d{6}${gap}\d{4,5})(?![${letters}\d_]|[.,]\d|-[${letters}\d])`,
  'gu',
);

/** First digits and lengths: Visa, Mastercard, Amex, Discover, Diners, JCB, UnionPay, Maestro, Mir. */
const issuer =
  /^(?:4(?:\d{12}|\d{15}|\d{18})|(?:5[1-5]\d\d|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12}|3[47]\d{13}|6(?:011|4[4-9]\d|5\d\d)\d{12,15}|3(?:0[0-5]|[689]\d)\d{11,16}|35(?:2[89]|[3-8]\d)\d{12,15}|62\d{14,17}|(?:50|5[6-8]|6\d)\d{10,17}|220[0-4]\d{12,15})$/;

/** Finds numbers of payment cards, by issuer and checksum. */
export function findCards(text: string, from: number): Stretch[] {
  return findAll(card, text, from, (match) => {
    const gaps = new Set(match.replace(/\d/g, ''));
    const digits = match.replace(/\D/g, '');
    return gaps.size < 2 && issuer.test(digits) && passesLuhn(digits);
  });
}

/** The length of an IBAN by country. */
const ibanLengths: ReadonlyMap<string, number> = new Map(
  (
    'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 FI18 ' +
    'FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 ' +
    'LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 ' +
    'SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30'
  )
    .split(' ')
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);
const ibanHead = new RegExp(String.raw`(?<![${letters}\d_])[A-Za-z]{2}\d{2}(?=[ \u00a0-]?[A-Za-z\d])`, 'gu');
const wordCharacter = new RegExp(`[${letters}\\d_]`, 'u');

export function findIbans(text: string, from: number): Stretch[] {
  const found: Stretch[] = [];
  ibanHead.lastIndex = from;
  for (let match = ibanHead.exec(text); match !== null; match = ibanHead.exec(text)) {
    const end = endOfIban(text, match.index);
    if (end === undefined) continue;
    found.push({ start: match.index, end });
    ibanHead.lastIndex = end;
  }
  return found;
}

function endOfIban(text: string, start: number): number | undefined {
  const length = ibanLengths.get(text.slice(start, start + 2).toUpperCase()) ?? 0;
  let iban = '';
  let at = start;
  for (; iban.length < length && at < text.length; at += 1) {
    const character = text.charAt(at);
    if (/[A-Za-z\d]/.test(character)) iban += character.toUpperCase();
    // Groups are separated by a single character.
    else if (!/[ \u00a0-]/.test(character) || !/[A-Za-z\d]/.test(text.charAt(at - 1))) return undefined;
  }
  const isWhole = length > 0 && iban.length === length && !wordCharacter.test(text.charAt(at));
  return isWhole && passesMod97(iban) ? at : undefined;
}

/** All patterns of this file, for the test that none of them backtracks excessively. */
export const numberPatterns: readonly RegExp[] = [card, issuer, ibanHead];
