/** Names of headers whose value is a secret to the end of the line, spaces and commas included. */
const headerNames = 'authorization|cookie';

const valueNames = [
  '(?:api|access|account|encryption|functions|master|private|shared|signing|subscription)[-_. ]?key',
  'secret(?:[-_. ]?(?:access[-_. ]?)?key)?',
  'token',
  'passw(?:or)?d',
  'passphrase',
  '(?<=[a-z][-_]?)pwd',
  'credentials?',
  'signature',
  '[?&]sig',
].join('|');

const endsSecretly = new RegExp(
  `(?:${headerNames}|${valueNames}|(?:^|[-_.])(?:auth|bearer|dsn|pass|pat|pwd))$`,
  'i',
);

/** Whether the value under this key, header or parameter is a secret by its name: `X-Api-Key`, `accessToken`, `db_password`. */
export function isSecretName(name: string): boolean {
  return endsSecretly.test(name);
}

/**
 * A source that finds a secret's name with the sign that assigns, in any notation: `apiKey: `, `"api_key":`, `\"token\":`,
 * `?token=`, `token%3D`. Its first group is there when the value goes on to the end of the line.
 */
export const assignmentSource = `(?:(${headerNames})|${valueNames})\\\\{0,15}["']?\\]?[ \\t]{0,4}(?:=>|[:=]|%3[ad])`;

/** A source that finds the beginning of an assignment at the end of a text: what follows may be the rest of the name, or its sign. */
export const nameAtEndSource = `(?:${headerNames}|${valueNames}|(?:api|access|account|encryption|functions|master|private|shared|signing|subscription|secret)[-_. ])\\\\{0,15}["']?\\]?[ \\t]{0,4}$`;

const secretVariable =
  /api_?key|access_?key|private_?key|secret|token(?!s|iz)|passw|passphrase|credential|(?:^|[^a-z])(?:auth|cookie|dsn|key|pass|pat|pwd)(?![a-z])/i;
/** A path, a kind or a limit that has to do with a secret is none. */
const publicVariable =
  /^(?:old)?pwd$|[^a-z](?:algorithm|dir|endpoint|file|host|id|name|path|port|sock|ttl|type|uri|url|user)$/i;

/** Whether an environment variable holds a secret by its name: `OPENAI_API_KEY`, `DB_PASSWORD`, but not `SSH_AUTH_SOCK`. */
export function isSecretVariable(name: string): boolean {
  return secretVariable.test(name) && !publicVariable.test(name);
}
