import { isSecretName, isSecretVariable } from './secret-names.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Shorter values are not taken from an environment: they would be found everywhere. */
const minSecretLength = 8;
/** Parts of a value (keys in a list, lines of a private key) are secrets of their own from this length on. */
const minPartLength = 16;

/**
 * The secrets of an environment: values of variables whose names say so, with the keys of lists and the lines of private
 * keys; passwords in URLs; values of the headers that `OTEL_EXPORTER_OTLP_HEADERS` and its like hold.
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

/** A value that is known to be secret, and what in it is secret by itself. */
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
    // Not JSON: the value as a whole is all that is known.
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
    // Not encoded: it is the text as it is.
    return text;
  }
}

/**
 * A source that finds these secrets, as they are and as they look in JSON (also JSON in JSON), in URLs, and in base64,
 * alone or in the middle of something (`user:password`). Undefined when there are none.
 */
export function valueSource(secrets: Iterable<string>): string | undefined {
  const longestFirst = [...new Set(secrets)].toSorted((a, b) => b.length - a.length);
  return longestFirst.length === 0
    ? undefined
    : longestFirst.flatMap((secret) => base64Forms(secret).concat(escapedForms(secret))).join('|');
}

/**
 * A source that finds the beginning of one of these secrets at the end of a text, as far as a space, or a character that stands
 * alone like one. Undefined when none has such a place.
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
  // Signs at the ends may be part of the notation around, as quotes are; without them the secret is none any more.
  const core = secret.replace(/^[^\p{L}\p{N}_-]+|[^\p{L}\p{N}_-]+$/gu, '');
  return Array.from(core.length >= minSecretLength ? core : secret, characterForms).join('');
}

/** Backslashes double with each time that a text is put into JSON: four times is 15 of them. */
function characterForms(character: string): string {
  if (/[A-Za-z0-9_-]/.test(character)) return character;
  const percent = [...new TextEncoder().encode(character)].map((byte) => `%${anyCase(byte, 2)}`).join('');
  // Not by code points: JSON escapes each half of a pair.
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

/** The characters of base64 that are the secret's alone, for each of the three ways in which it may be aligned. */
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
