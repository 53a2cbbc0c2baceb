import { array, assert, constantFrom, integer, letrec, oneof, property, string, tuple } from 'fast-check';
import { expect, it } from 'vitest';

import type { JsonValue } from '../base/json.ts';
import { createRedactor } from './redactor.ts';

const { text } = createRedactor({ environment: false });
const numRuns = 40_000;

const secretName = constantFrom('password', 'apiKey', 'x-api-key', 'client_secret', 'AUTH_TOKEN');
// One escaped name only: V8 takes `"\\"` and `"\""` for one key in objects that are alike otherwise (Node 24.21).
const otherName = constantFrom('id', 'note', 'maxTokens', 'a b', '"', '{', '🐝');

/** A value of JSON, and what is to be left of it. */
interface Redaction {
  readonly given: JsonValue;
  readonly left: JsonValue;
}

/** Texts that assign nothing, and look like no secret. */
const words = array(constantFrom('tea', ' ', '"', '\\', '{', ']', ',', 'ä', '🐝', '\n', "'", '1')).map(
  (parts) => parts.join(''),
);

const { any } = letrec<{ any: Redaction; member: readonly [string, Redaction] }>((tie) => ({
  any: oneof(
    { maxDepth: 4, withCrossShrink: true },
    oneof(words, integer()).map((given): Redaction => ({ given, left: given })),
    array(tie('any'), { maxLength: 4 }).map((items): Redaction => ({
      given: items.map(({ given }) => given),
      left: items.map(({ left }) => left),
    })),
    array(tie('member'), { maxLength: 4 }).map((members): Redaction => ({
      given: Object.fromEntries(members.map(([name, { given }]) => [name, given])),
      left: Object.fromEntries(members.map(([name, { left }]) => [name, left])),
    })),
    tie('any').map(({ given, left }): Redaction => ({
      given: JSON.stringify(given),
      left: JSON.stringify(left),
    })),
  ),
  member: oneof(
    tuple(otherName, tie('any')),
    tuple(secretName, tie('any')).map(
      ([name, { given }]) => [name, { given, left: withoutSecret(given) }] as const,
    ),
  ),
}));

/** Nothing is hidden of what is empty or too short to be one. */
function withoutSecret(given: JsonValue): JsonValue {
  const isHidden = typeof given === 'number' ? String(given).length >= 4 : given !== '';
  return isHidden ? '[redacted]' : given;
}

it('JSON in any depth loses what stands under the name of a secret, and nothing else', () => {
  assert(
    property(any, ({ given, left }) => {
      expect(JSON.parse(text(JSON.stringify(given)))).toEqual(left);
    }),
    { numRuns },
  );
});

const bare = string({ unit: constantFrom(...Array.from('kQ7zX9-_./+~!@$%^*')), minLength: 8, maxLength: 30 });
const quoted = string({
  unit: constantFrom(...Array.from('kQ7z"\\\'`{}[]()=:,;&#<>| ä🐝')),
  minLength: 6,
  maxLength: 30,
});
const assigned = oneof(
  tuple(secretName, bare, constantFrom('=', ': ', ' = ', ':')).map(([name, value, sign]) => ({
    value,
    written: `${name}${sign}${value}`,
  })),
  tuple(secretName, quoted, constantFrom('=', ': ', ' => ')).map(([name, value, sign]) => ({
    value: JSON.stringify(value).slice(1, -1),
    written: `"${name}"${sign}${JSON.stringify(value)}`,
  })),
);

it('what is assigned to the name of a secret is cut out of prose, and the words around it stay', () => {
  assert(
    property(assigned, integer({ min: 0, max: 3 }), ({ value, written }, times) => {
      let given = `tea before ${written} after tea`;
      let cut = value;
      for (let time = 0; time < times; time += 1) {
        given = JSON.stringify(given);
        cut = JSON.stringify(cut).slice(1, -1);
      }
      const left = text(given);
      expect(left).not.toContain(cut);
      expect(left).toMatch(/tea before .*after tea/s);
    }),
    { numRuns },
  );
});
