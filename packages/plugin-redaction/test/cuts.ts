import { createRedactor } from '@shallot/core/plugin';
import { array, check, constantFrom, integer, property } from 'fast-check';
import { RE2JS } from 're2js';

import { detectors, kinds } from '../src/detectors.ts';
import type { Find } from '../src/finder-stage.ts';
import type { Action } from '../src/replacements.ts';
import { secretKeys } from '../src/secret-keys.ts';
import { TextRedaction, type Rules } from '../src/text-redaction.ts';
import { lookAlikes, valid } from './corpus.ts';

const known = 'correct horse battery';
const redactor = createRedactor({ environment: { DB_PASSWORD: known } });

/** Returns a redaction with all detectors and the user's own. */
export function redactionOf({
  own = [],
  action = 'redact',
}: Partial<Pick<Rules, 'own'>> & { readonly action?: Action } = {}): TextRedaction {
  const names = [...kinds, ...own.map(({ name }) => name)];
  const actions = new Map(names.map((name) => [name, action]));
  const rules = {
    actions,
    own,
    detectors,
    hashKey: '0123456789abcdef',
    redactor,
    isSecretKey: secretKeys(redactor),
    clean: new WeakSet(),
  };
  return new TextRedaction(rules, undefined);
}

/** Detectors such as users define. */
export const ownDetectors: Rules['own'] = [
  { name: 'ticket', pattern: RE2JS.compile('ID-[0-9]+\\b|user: \\w+'), longest: 16 },
  { name: 'line', find: wordsAtStart },
];

function wordsAtStart(line: string): ReturnType<Find> {
  return line.startsWith('next') ? [[0, 4]] : [];
}

/** Texts with a match of every kind, some of several words or lines. */
export const texts: readonly string[] = [
  `Write to anna@example.org, call +49 (0)30 / 901820 or 030 901820; card 4111 1111 1111 1111, then 12.`,
  `IBAN: DE89 3704 0044 0532 0130 00 EUR; from 192.0.2.17 (2001:db8::8a2e:370:7334), 00:1A:2B:3C:4D:5E`,
  `See https://example.org/a?b=c. The api key: abcd1234efgh and "password": "two words", {"token": [1, "x y"]}`,
  `Authorization: Bearer abcdef123456 and more\nthen the password is ${known}, I think, token=  spaced12 end`,
  `-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\nabcdefgh\n-----END RSA PRIVATE KEY-----\nDone: anna@example.org`,
  `请联系anna@example.org或致电+86 138 0013 8000，卡号4111111111111111。谢谢。IBAN：DE89370400440532013000。`,
  `credentials: {\n  user: anna,\n  key: [1, 2]\n} and ID-4711, ID-12 id-3\nnext line 1 2 3 4 5 6`,
];

/** Returns the output for a text that arrives in these pieces. */
export function inPieces(redaction: TextRedaction, pieces: readonly string[]): string {
  const stage = redaction.stage();
  return pieces.map((piece) => stage.push(piece)).join('') + stage.end();
}

const part = constantFrom(
  ...texts,
  ...kinds.flatMap((kind) => valid[kind].slice(0, 4)),
  ...lookAlikes.slice(0, 12),
  ...Array.from('a \n"{[=1+-'),
  ': ',
  'token',
  'x'.repeat(3000),
  '1 2 '.repeat(900),
);

/** Returns a text and a way to cut it into pieces that changes the output; null if none was found. */
export function findWrongCut(numRuns: number): unknown {
  const redaction = redactionOf({ own: ownDetectors });
  const cuts = array(integer({ min: 1, max: 4000 }), { maxLength: 8 });
  const { counterexample } = check(
    property(array(part, { maxLength: 12 }), cuts, (parts, lengths) => {
      const text = parts.join('');
      const pieces: string[] = [];
      let at = 0;
      for (const length of lengths) pieces.push(text.slice(at, (at += length)));
      return inPieces(redaction, [...pieces, text.slice(at)]) === redaction.text(text);
    }),
    { numRuns },
  );
  return counterexample;
}
