/** Names of headers whose value is secret up to the end of the line, including spaces and commas. */
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

/**
 * Returns true if the name of a key, header or parameter marks its value as a secret: `X-Api-Key`, `accessToken`,
 * `db_password`.
 */
export function isSecretName(name: string): boolean {
  return endsSecretly.test(name);
}

/**
 * Matches a secret's name with its assignment sign in any notation: `apiKey: `, `"api_key":`, `\"token\":`, `?token=`,
 * `token%3D`. The first group is set if the value extends to the end of the line.
 */
export const assignmentSource = `(?:(${headerNames})|${valueNames})\\\\{0,15}["']?\\]?[ \\t]{0,4}(?:=>|[:=]|%3[ad])`;

/** Matches the start of an assignment at the end of a string that may continue. */
export const nameAtEndSource = `(?:${headerNames}|${valueNames}|(?:api|access|account|encryption|functions|master|private|shared|signing|subscription|secret)[-_. ])\\\\{0,15}["']?\\]?[ \\t]{0,4}$`;

const secretVariable =
  /api_?key|access_?key|private_?key|secret|token(?!s|iz)|passw|passphrase|credential|(?:^|[^a-z])(?:auth|cookie|dsn|key|pass|pat|pwd)(?![a-z])/i;
/** Paths, kinds and limits that are related to a secret are public. */
const publicVariable =
  /^(?:old)?pwd$|[^a-z](?:algorithm|dir|endpoint|file|host|id|name|path|port|sock|ttl|type|uri|url|user)$/i;

/**
 * Returns true if the name of an environment variable marks its value as a secret: `OPENAI_API_KEY` or `DB_PASSWORD`,
 * but not `SSH_AUTH_SOCK`.
 */
export function isSecretVariable(name: string): boolean {
  return secretVariable.test(name) && !publicVariable.test(name);
}
