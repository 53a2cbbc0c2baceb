import { createHmac } from 'node:crypto';

/** The actions that replace or block a match. */
export const actions = ['redact', 'mask', 'hash', 'placeholder', 'block'] as const;

export type Action = (typeof actions)[number];

const hashLength = 12;
const kept = 4;

/** What stands in place of a value that is redacted. */
export function redacted(kind: string): string {
  return `[redacted ${kind}]`;
}

/** The value with stars; of long ones the last signs stay, of an e-mail address the domain. */
export function masked(value: string, kind: string): string {
  if (kind === 'email') return `***${value.slice(value.lastIndexOf('@'))}`;
  if (kind === 'secret') return '***';
  const signs = value.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
  let hidden = signs < 3 * kept ? signs : signs - kept;
  return value.replace(/[\p{L}\p{N}]/gu, (sign) => (hidden-- > 0 ? '*' : sign));
}

/** The same for equal values, and nothing that tells them to somebody without the key. */
export function hashed(value: string, kind: string, key: string): string {
  const digest = createHmac('sha256', key).update(`${kind}\0${value}`).digest('hex');
  return `[${kind} #${digest.slice(0, hashLength)}]`;
}

/** A placeholder for the nth value of a kind, from 1. */
export function placeholder(kind: string, number: number): string {
  return `<${kind.toUpperCase().replaceAll('-', '_')}_${number}>`;
}

/** What this plugin, or the redactor of logs, has put into a text. */
const replacements = new RegExp(
  String.raw`\[redacted(?: [a-z0-9-]+)?\]|\[[a-z][a-z0-9-]* #[0-9a-f]{12}\]|<[A-Z][A-Z0-9_]*_[1-9]\d{0,8}>|\*{3}`,
  'g',
);

/** Whether nothing of a match is anybody's own: it was replaced before. */
export function isReplaced(match: string): boolean {
  return !/[\p{L}\p{N}]/u.test(match.replace(replacements, '').replace(/bearer|basic/gi, ''));
}
