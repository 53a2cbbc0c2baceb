import { kindOf } from '../base/describe-value.ts';
import { ShallotError } from '../base/errors.ts';
import { keyReader } from './key-reader.ts';
import { openSecretFinder } from './open-secret.ts';
import { redactAssigned } from './redact-assigned.ts';
import { mendJson } from './redact-json.ts';
import { redactValue } from './redact-value.ts';
import { hasSecretSign, secretPatternSource } from './secret-patterns.ts';
import { secretsOf, valueSource } from './secret-values.ts';

export interface RedactorOptions {
  /** Strings to remove wherever they occur, each of at least 4 characters. Empty strings are skipped. */
  readonly secrets?: readonly string[];
  /** Additional patterns of secrets. The whole match is removed. */
  readonly patterns?: readonly RegExp[];
  /**
   * The environment to search for secrets: values of at least 8 characters in variables with names like keys, tokens or
   * passwords, and passwords in URLs. Default: `process.env`, read once. `false` searches none.
   */
  readonly environment?: Readonly<Record<string, string | undefined>> | false;
}

/** Removes secrets from data that leaves the process, such as logs and traces. */
export interface Redactor {
  /** Returns the string with `[redacted]` in place of each secret. Quotes around a secret stay. Never throws. */
  readonly text: (text: string) => string;
  /**
   * Returns true if a secret may begin in this string and continue after it; redact both pieces together then. For text
   * that arrives in pieces, each ending after a space or at the end of a line.
   */
  readonly isOpen: (text: string) => boolean;
  /**
   * Copies any value as plain data without secrets in its strings, keys and errors, and without values whose keys name
   * a secret. Cycles are cut, and members that throw are shown as unreadable. Never throws.
   */
  readonly value: (value: unknown) => unknown;
  /** Returns a redactor that also removes these secrets. @throws `OPTION_INVALID` */
  readonly with: (more: Pick<RedactorOptions, 'secrets' | 'patterns'>) => Redactor;
}

/** The text in place of a secret. */
export const censor = '[redacted]';

/** The minimum length of a registered secret; shorter strings occur everywhere. */
export const minNamedLength = 4;

/**
 * Creates a redactor. It removes known secrets and strings that look like secrets: API keys of common providers, bearer
 * tokens, JSON Web Tokens, private keys, passwords in URLs, and values with a name such as `password`. The time grows
 * linearly with any text.
 * @throws `OPTION_INVALID`
 */
export function createRedactor({
  secrets = [],
  patterns = [],
  environment = process.env,
}: RedactorOptions = {}): Redactor {
  checkSecrets(secrets);
  checkPatterns(patterns);
  const known = environment === false ? [] : secretsOf(environment);
  return redactorFor([...known, ...secrets.filter(Boolean)], patterns);
}

function redactorFor(secrets: readonly string[], patterns: readonly RegExp[]): Redactor {
  let removals: readonly Removal[] | undefined;

  function text(given: string): string {
    // Compiled on first use, because many agents never redact.
    removals ??= compile(secrets, patterns);
    let left = given;
    for (const remove of removals) left = remove(left);
    return redactAssigned(mendJson(left, { before: given, censor }), censor);
  }

  let open: ((text: string) => boolean) | undefined;
  const key = keyReader(text);
  return Object.freeze({
    text,
    isOpen: (given) => (open ??= openSecretFinder(secrets, patterns))(given),
    value: (value) => redactValue(value, { text, key, censor }),
    with: ({ secrets: more = [], patterns: morePatterns = [] }) => {
      checkSecrets(more);
      checkPatterns(morePatterns);
      return redactorFor([...secrets, ...more.filter(Boolean)], [...patterns, ...morePatterns]);
    },
  } satisfies Redactor);
}

type Removal = (text: string) => string;

/** Known values come first: a pattern that matches only a part of one would leave the rest. */
function compile(secrets: readonly string[], patterns: readonly RegExp[]): Removal[] {
  const values = valueSource(secrets);
  const known = values === undefined ? [] : [new RegExp(values, 'g')];
  const looks = new RegExp(secretPatternSource, 'gi');
  const others = patterns.map(({ source, flags }) => new RegExp(source, `${flags.replace(/[gy]/g, '')}g`));
  return [
    ...known.map((pattern) => (text: string) => text.replace(pattern, censor)),
    (text) => (hasSecretSign(text) ? text.replace(looks, keepGroup) : text),
    // Empty matches remove nothing.
    ...others.map(
      (pattern) => (text: string) => text.replace(pattern, (match) => (match === '' ? '' : censor)),
    ),
  ];
}

/** Returns the replacement of a match, which keeps its group. After the groups comes the offset of the match, a number. */
function keepGroup(_match: string, ...groups: unknown[]): string {
  for (const group of groups) {
    if (typeof group === 'string') return `${group}${censor}`;
    if (typeof group === 'number') break;
  }
  return censor;
}

function checkSecrets(secrets: readonly unknown[]): void {
  const wrong = secrets.findIndex(
    (secret) => typeof secret !== 'string' || (secret !== '' && secret.length < minNamedLength),
  );
  if (wrong === -1) return;
  const what = typeof secrets[wrong] === 'string' ? 'shorter than 4 characters' : kindOf(secrets[wrong]);
  throw new ShallotError('OPTION_INVALID', {
    message: `secrets[${wrong}] is ${what}. Use strings of 4 characters or more: a shorter one would match almost everywhere.`,
  });
}

function checkPatterns(patterns: readonly unknown[]): void {
  const wrong = patterns.findIndex((pattern) => !(pattern instanceof RegExp));
  if (wrong === -1) return;
  throw new ShallotError('OPTION_INVALID', {
    message: `patterns[${wrong}] is ${kindOf(patterns[wrong])}. Use regular expressions.`,
  });
}
