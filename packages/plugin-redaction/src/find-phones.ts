import { findAll, type Stretch } from './find-all.ts';
import { letters } from './letters.ts';

const phone = new RegExp(
  String.raw`(?<![${letters}\d_+]|\d[.,:/-]|[${letters}#]-)(?:\+|\(\+?)?\d(?:[ \u00a0.()/\u2010-\u2013-]{0,3}\d){6,16}(?![${letters}\d_]|[.,:]\d|[-/][${letters}\d])`,
  'gu',
);

/** Words, and beginnings of words, that precede phone numbers; those of Chinese and Japanese are separate. */
const phoneWords = wordsOf(
  'tel phone phones call calls cell mobile fax dial text whatsapp sms handy rufnummer ruf durchwahl mobil tél portable joindre móvil celular тел',
);
const phoneStems = wordsOf('telefon teléfon telephon téléphon anruf appel llam chiam cellular телефон звон');
const phoneSigns = /电话|手机|致电|拨打|電話|携帯/;

/** Words that precede other numbers. Weak ones are ignored after a word for phones. */
const otherWords = wordsOf(
  'order invoice ticket case isbn issn ean sku serial version id commande facture pedido factura ordine fattura счет счёт art artikel',
);
const otherStems = wordsOf('bestell rechnung refer заказ');
const otherSigns = /(?:订单|注文)[^\d]{0,4}$/;
const weakWords = wordsOf('no nr number nummer numéro número numero номер');
const weakSigns = /[号№#]\P{L}{0,2}$/u;

const contextLength = 40;

const international = /^\(?(?:\+|00)[1-9]/;
const date =
  /^\(?(?:\d{1,2}([./-])\d{1,2}\1(?:\d{4}|\d{2})|\d{4}([./-])\d{1,2}\2\d{1,2})(?:[ T]\d{1,2}(?:\D\d{1,2})*)?$/;
/** Common national formats: a leading zero with an area code, or the North American groups. */
const national =
  /^\(?0[1-9]\d{0,4}\)?[ ./\u00a0\u2010-\u2013-]|^(?:1[ .-])?\(\d{3}\) ?\d{3}[ .-]\d{4}$|^(?:1[.-])?\d{3}([.-])\d{3}\1\d{4}$/;

/** Finds phone numbers: international ones, common national formats, and others if the preceding words announce one. */
export function findPhones(text: string, from: number): Stretch[] {
  return findAll(phone, text, from, (match, start) => {
    const digits = countDigits(match);
    if (digits < 7 || digits > 16 || !isClosed(match) || date.test(match)) return false;
    if (/^\(?\+/.test(match)) return international.test(match) && digits > 7;
    const before = text.slice(Math.max(0, start - contextLength), start);
    return announcedBy(before) ?? (digits > 8 && !/\d[ \u00a0]$/.test(before) && looksLikeOne(match));
  });
}

function looksLikeOne(match: string): boolean {
  return /\D/.test(match) && countDigits(match) < 16 && (international.test(match) || national.test(match));
}

function countDigits(match: string): number {
  let count = 0;
  for (let at = 0; at < match.length; at += 1) {
    const code = match.charCodeAt(at);
    if (code >= 48 && code <= 57) count += 1;
  }
  return count;
}

function isClosed(match: string): boolean {
  return match.split('(').length === match.split(')').length;
}

/** Returns true if the preceding words announce a phone number, false if another number; undefined if neither. */
function announcedBy(before: string): boolean | undefined {
  const words = before
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter(Boolean)
    .slice(-4);
  const isOther = (word: string): boolean =>
    otherWords.has(word) || [...otherStems].some((stem) => word.startsWith(stem));
  if (words.slice(-2).some(isOther) || otherSigns.test(before)) return false;
  const isPhone = (word: string): boolean =>
    phoneWords.has(word) || [...phoneStems].some((stem) => word.startsWith(stem));
  if (words.some(isPhone) || phoneSigns.test(before.slice(-8))) return true;
  return weakWords.has(words.at(-1) ?? '') || weakSigns.test(before) ? false : undefined;
}

function wordsOf(words: string): ReadonlySet<string> {
  return new Set(words.split(' '));
}

/** All patterns of this file, for the test that none of them backtracks excessively. */
export const phonePatterns: readonly RegExp[] = [phone, international, date, national, otherSigns, weakSigns];
