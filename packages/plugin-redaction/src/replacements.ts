import { createHmac } from 'node:crypto';

/** The actions that replace or block a match. */
export const actions = ['redact', 'mask', 'hash', 'placeholder', 'block'] as const;

/** An action on a match. Four of them replace the match, and `block` ends the run. */
export type Action = (typeof actions)[number];

const hashLength = 12;
const kept = 4;

/** Returns the replacement of a value by the action `redact`. */
export function redacted(kind: string): string {
  return `[redacted ${kind}]`;
}

/**
 * Returns a value masked with stars; the last characters of long values and the domain of e-mail addresses stay, but
 * nothing of secrets.
 */
export function masked(value: string, kind: string): string {
  if (kind === 'email') return `***${value.slice(value.lastIndexOf('@'))}`;
  if (kind === 'secret') return '***';
  const signs = value.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
  let hidden = signs < 3 * kept ? signs : signs - kept;
  return value.replace(/[\p{L}\p{N}]/gu, (sign) => (hidden-- > 0 ? '*' : sign));
}

/** Returns the keyed hash of a value. Equal values have equal hashes, which reveal nothing without the key. */
export function hashed(value: string, kind: string, key: string): string {
  const digest = createHmac('sha256', key).update(`${kind}\0${value}`).digest('hex');
  return `[${kind} #${digest.slice(0, hashLength)}]`;
}

/** Returns the placeholder for a kind of value and its tag. */
export function placeholder(kind: string, tag: string): string {
  return `<${kind.toUpperCase().replaceAll('-', '_')}_${tag}>`;
}

/** Matches the replacements made by this plugin and by the redactor of the log. */
const replacements = new RegExp(
  String.raw`\[redacted(?: [a-z0-9-]+)?\]|\[[a-z][a-z0-9-]* #[0-9a-f]{12}\]|<[A-Z][A-Z0-9_]*_(?:[A-Z]{10}|[1-9]\d{0,8})>|\*{3}`,
  'g',
);

/** Returns true if a match contains only earlier replacements. */
export function isReplaced(match: string): boolean {
  return !/[\p{L}\p{N}]/u.test(match.replace(replacements, '').replace(/bearer|basic/gi, ''));
}
