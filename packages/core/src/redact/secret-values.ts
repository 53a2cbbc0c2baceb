import { isSecretName, isSecretVariable } from './secret-names.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Shorter values of an environment are not treated as secrets, since they would occur everywhere. */
const minSecretLength = 8;
/** Parts of a value, such as keys in a list, are secrets themselves from this length. */
const minPartLength = 16;

/**
 * Returns the secrets of an environment: values of variables with secret names, including listed keys and the lines of
 * private keys; passwords in URLs; and header values in variables like `OTEL_EXPORTER_OTLP_HEADERS`.
 */
export function secretsOf(environment: Environment): string[] {
  return Object.entries(environment).flatMap(([name, value]) =>
    value === undefined || value.length < minSecretLength
      ? []
      : passwordsIn(value).concat(ownSecrets(name, value)),
  );
}

function ownSecrets(name: string, value: string): string[] {
  if (/headers$/i.test(name)) return headerValues(value);
  return isSecretVariable(name) ? secretsInValue(value) : [];
}

/** Returns a secret value and those of its parts that are secret by themselves. */
export function secretsInValue(value: string): string[] {
  const inside = /^\s*[{[]/.test(value) ? secretMembers(value) : value.split(/[\s,;]+/);
  return [value.trim(), ...inside.filter((part) => part.length >= minPartLength)].filter(isLongEnough);
}

function isLongEnough(secret: string): boolean {
  return secret.length >= minSecretLength;
}

function secretMembers(json: string): string[] {
  const found: string[] = [];
  try {
    JSON.parse(json, (key, value: unknown) => {
      if (typeof value === 'string' && isSecretName(key)) found.push(value, ...value.split(/\s+/));
      return value;
    });
  } catch {
    // Not JSON: only the whole value is known.
  }
  return found;
}

function passwordsIn(value: string): string[] {
  const password = /^[\w.+-]{1,32}:\/\/[^\s/?#:@]*:([^\s/?#]+)@/.exec(value)?.[1];
  return password === undefined ? [] : [password, decoded(password)].filter(isLongEnough);
}

function headerValues(value: string): string[] {
  return value.split(',').flatMap((header) => {
    const text = decoded(header.slice(header.indexOf('=') + 1)).trim();
    return [text, text.slice(text.indexOf(' ') + 1)].filter(isLongEnough);
  });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Not URI-encoded.
    return text;
  }
}

/**
 * Returns a pattern source for these secrets: plain, in JSON (also nested), in URLs, and in base64, alone or inside
 * other data (`user:password`). Undefined if there are none.
 */
export function valueSource(secrets: Iterable<string>): string | undefined {
  const longestFirst = [...new Set(secrets)].toSorted((a, b) => b.length - a.length);
  return longestFirst.length === 0
    ? undefined
    : longestFirst.flatMap((secret) => base64Forms(secret).concat(escapedForms(secret))).join('|');
}

/**
 * Returns a pattern source for the beginning of one of these secrets at the end of a text. Beginnings end at characters
 * that are not visible ASCII, such as spaces, because a text that arrives in pieces may be split there. Undefined if no
 * secret has such a character.
 */
export function beginningSource(secrets: Iterable<string>): string | undefined {
  const beginnings = [...new Set(secrets)].flatMap((secret) =>
    [...secret.matchAll(/[^!-~]+|(?<=[^!-~])(?=[!-~])/g)].flatMap(({ index }) => {
      const beginning = secret.slice(0, index).trim();
      return beginning === '' ? [] : [beginning];
    }),
  );
  if (beginnings.length === 0) return undefined;
  return `(?:${beginnings.map((each) => Array.from(each, characterForms).join('')).join('|')})(?:[^!-~]|%20|\\+){0,4}$`;
}

function escapedForms(secret: string): string {
  // Symbols at the ends may belong to the surrounding notation, such as quotes, and are not part of the match.
  const core = secret.replace(/^[^\p{L}\p{N}_-]+|[^\p{L}\p{N}_-]+$/gu, '');
  return Array.from(core.length >= minSecretLength ? core : secret, characterForms).join('');
}

/**
 * Returns a pattern source for a character in all its notations. Backslashes double with each level of JSON: four levels
 * make 15.
 */
function characterForms(character: string): string {
  if (/[A-Za-z0-9_-]/.test(character)) return character;
  const percent = [...new TextEncoder().encode(character)].map((byte) => `%${anyCase(byte, 2)}`).join('');
  // By code units, since JSON escapes each half of a surrogate pair.
  const unicode = character
    .split('')
    .map((unit) => `\\\\{1,15}u${anyCase(unit.charCodeAt(0), 4)}`)
    .join('');
  const letter = { '\n': 'n', '\r': 'r', '\t': 't' }[character];
  const plain =
    letter === undefined ? `\\\\{0,15}${literal(character)}` : `${literal(character)}|\\\\{1,15}${letter}`;
  return `(?:${plain}|${unicode}|${percent}${character === ' ' ? '|\\+' : ''})`;
}

function anyCase(code: number, digits: number): string {
  const hex = code.toString(16).padStart(digits, '0');
  return hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/** Returns the base64 characters that depend only on the secret, for each of its three alignments. */
function base64Forms(secret: string): string[] {
  const bytes = new TextEncoder().encode(secret);
  return [0, 1, 2].flatMap((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64');
    const own = text.slice(Math.ceil((shift * 8) / 6), Math.floor(((shift + bytes.length) * 8) / 6));
    return own.length < minSecretLength
      ? []
      : [own.replace(/[+/]/g, (sign) => (sign === '+' ? '[+-]' : '[/_]'))];
  });
}
