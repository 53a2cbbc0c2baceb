import { assignmentGoesOn } from './redact-assigned.ts';
import { nameAtEndSource } from './secret-names.ts';
import { beginningSource } from './secret-values.ts';

/** A fast check before the search for names of secrets: each of them contains one of these words. */
const mayAssign =
  /auth|cookie|key|secret|token|passw|passp|pwd|credential|sig|access|api|account|encr|func|master|private|shared|subscr/i;
const nameAtEnd = new RegExp(nameAtEndSource, 'i');
const schemeAtEnd = /\b(?:bearer|basic)(?:\s|%20|\+){1,4}$/i;
const privateKey = /-----BEGIN [A-Z0-9 ]{0,40}(?:$|PRIVATE KEY[A-Z ]{0,10}(?:$|-----))/;
const endOfKey = /-----END [A-Z0-9 ]{0,60}-----/;

/** Returns a function that returns true if a secret may start in a string and continue after it. */
export function openSecretFinder(
  secrets: readonly string[],
  patterns: readonly RegExp[],
): (text: string) => boolean {
  const source = beginningSource(secrets);
  const knownAtEnd = source === undefined ? undefined : new RegExp(source);
  return (text) =>
    // The reach of a custom pattern is unknown; it is assumed to end with the line.
    (patterns.length > 0 && !text.endsWith('\n')) ||
    (mayAssign.test(text) && (nameAtEnd.test(text) || assignmentGoesOn(text))) ||
    knownAtEnd?.test(text) === true ||
    (/[cr][+\s%20]{1,12}$/i.test(text) && schemeAtEnd.test(text)) ||
    keyGoesOn(text);
}

function keyGoesOn(text: string): boolean {
  const at = text.lastIndexOf('-----BEGIN ');
  return at !== -1 && privateKey.test(text.slice(at)) && !endOfKey.test(text.slice(at));
}
