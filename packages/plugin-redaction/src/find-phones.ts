import { findAll, type Stretch } from './find-all.ts';
import { letters } from './letters.ts';

const phone = new RegExp(
  String.raw`(?<![${letters}\d_+]|\d[.,:/-]|[${letters}#]-)(?:\+|\(\+?)?\d(?:[ \u00a0.()/\u2010-\u2013-]{0,3}\d){6,16}(?![${letters}\d_]|[.,:]\d|[-/][${letters}\d])`,
  'gu',
);

/** Words, and beginnings of words, that a telephone number is announced by; those of Chinese and Japanese apart. */
const phoneWords = wordsOf(
  'tel phone phones call calls cell mobile fax dial text whatsapp sms handy rufnummer ruf durchwahl mobil tél portable joindre móvil celular тел',
);
const phoneStems = wordsOf('telefon teléfon telephon téléphon anruf appel llam chiam cellular телефон звон');
const phoneSigns = /电话|手机|致电|拨打|電話|携帯/;

/** The same for numbers of other things. Those that are weak say nothing behind a word for telephones. */
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
/** Written as a number of this country is: a zero and an area, or the groups of North America. */
const national =
  /^\(?0[1-9]\d{0,4}\)?[ ./\u00a0\u2010-\u2013-]|^(?:1[ .-])?\(\d{3}\) ?\d{3}[ .-]\d{4}$|^(?:1[.-])?\d{3}([.-])\d{3}\1\d{4}$/;

/** Telephone numbers: international ones, those of common national forms, and others where the words before say so. */
export function findPhones(text: string, from: number): Stretch[] {
  return findAll(phone, text, from, (match, start) =>
    isPhone(match, text.slice(Math.max(0, start - contextLength), start)),
  );
}

function isPhone(match: string, before: string): boolean {
  const digits = match.replace(/\D/g, '').length;
  const isClosed = (match.match(/\(/g)?.length ?? 0) === (match.match(/\)/g)?.length ?? 0);
  if (digits < 7 || digits > 16 || !isClosed || date.test(match)) return false;
  if (match.startsWith('+') || match.startsWith('(+')) return international.test(match) && digits > 7;
  const announced = announcedBy(before);
  if (announced !== undefined) return announced;
  if (/\d[ \u00a0]$/.test(before)) return false;
  const isGrouped = /\D/.test(match);
  return digits > 8 && digits < 16 && isGrouped && (international.test(match) || national.test(match));
}

/** Whether the words before say that a telephone number follows, or that another one does. */
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

/** All patterns of this file, for the check that none of them backtracks without end. */
export const phonePatterns: readonly RegExp[] = [phone, international, date, national, otherSigns, weakSigns];
