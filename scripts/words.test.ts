import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { root } from './workspace.ts';

/** The rows of the list of words: each word of a row, and the link beside it. */
const words = section('ARCHITECTURE.md', 'Words')
  .split('\n')
  .map(
    (line) =>
      /^\| (?<names>[a-z][a-z /-]*?) +\|.*\]\((?<link>packages[^)]+)\)(?<more>[^|]*)/.exec(line)?.groups,
  )
  .filter((row) => row !== undefined)
  .flatMap(({ names = '', link = '', more = '' }) =>
    names.split(' / ').map((word) => ({ word, link, more })),
  );

/** Names that were given up, each with the one that took its place. */
const givenUp = {
  INVALID_OPTION: 'OPTION_INVALID',
  INVALID_MESSAGE: 'MESSAGE_INVALID',
  NOT_A_PLUGIN: 'PLUGIN_EXPECTED',
  NOT_JSON: 'VALUE_NOT_JSON',
  NOTHING_TO_RESUME: 'SESSION_NOT_RESUMABLE',
  max_steps: 'max-steps',
  model_error: 'model-error',
  return_directly: 'return-directly',
  unknown_effect: 'unknown-effect',
  ModelCall: 'ModelContext',
};

/** Words and turns that readers stumble over, each with the plain one. */
const stumbled: readonly (readonly [turn: RegExp, plain: string])[] = [
  [/\bgo(?:es)? on with\b/, 'continues, resumes'],
  [/\bg(?:ive|ives|ave|iven) (?:a run|the run|it) up\b/, 'abandons'],
  [/\btak(?:e|es|en) (?:it |them |a run )?up again\b/, 'resumes'],
  [/\banew\b/, 'again, new'],
  [/\bis not there\b/, 'does not exist, is missing'],
  [/(?<!here )\bis no (?:plugin|tool|file|JSON|approval|text)\b/, 'is not a'],
  [/\bfurther (?:out|in) than\b/, 'outside, inside'],
  [/\bbelongs? into\b/, 'belongs in'],
  [/\ba text\b(?! (?:file|or|part|that was cut))/, 'a string'],
  [/\bso that (?:one|nobody|a misspelt)\b/, 'so'],
  [/\bfor instance\b/, 'for example'],
  [/\b(?:[Cc]orrect|[Mm]end) (?:it|the (?:path|name|pattern))\b/, 'fix'],
  [/\b[Aa]sk otherwise\b/, 'rephrase'],
  [/\bdoes not fit (?:the|its) schema\b/, 'does not match'],
  [/\bslip of the pen\b/, 'typo'],
  [/\bwhoever\b/i, 'anyone who, people who'],
];

/** The documents for users, without the notes on decisions, which name what was given up. */
const documents = [
  'README.md',
  'ARCHITECTURE.md',
  ...['guides', 'reference'].flatMap((folder) => files(`docs/${folder}`, '.md')),
  ...packageFolders().map((folder) => `packages/${folder}/README.md`),
];

const sources = packageFolders().flatMap((folder) => files(`packages/${folder}/src`, '.ts'));

describe('the list of words', () => {
  it('has each word once', () => {
    expect(words.length).toBeGreaterThan(30);
    expect(words.map(({ word }) => word)).toEqual([...new Set(words.map(({ word }) => word))]);
  });

  it.each(words)('$word is the name of its one room or file, or an export of it', ({ word, link, more }) => {
    expect(more.trim()).toBe('');
    const name = word.replaceAll(' ', '-');
    const named = basename(link, '.ts');
    expect([name, `${name}s`].includes(named) || isExported(word, link), `${word} in ${link}`).toBe(true);
  });
});

describe('what was given up', () => {
  it.each(Object.keys(givenUp))('%s is nowhere', (name) => {
    const found = [...documents, ...sources].filter((path) => new RegExp(`\\b${name}\\b`).test(read(path)));
    expect(found).toEqual([]);
  });

  it.each(stumbled.map(([turn, plain]) => [turn.source, plain, turn] as const))(
    'no document says %s (%s)',
    (_turn, _plain, turn) => {
      const found = documents.flatMap((path) => linesWith(turn, path));
      expect(found).toEqual([]);
    },
  );

  it.each(stumbled.map(([turn, plain]) => [turn.source, plain, turn] as const))(
    'no message says %s (%s)',
    (_turn, _plain, turn) => {
      const texts = sources.filter((path) => !isOfTests(path)).flatMap((path) => stringsWith(turn, path));
      expect(texts).toEqual([]);
    },
  );
});

/** Returns whether a file exports the word, as a type or as a value. */
function isExported(word: string, link: string): boolean {
  if (!link.endsWith('.ts')) return false;
  const [first = '', ...rest] = word.split(/[ -]/);
  const camel = [first, ...rest.map((part) => part.charAt(0).toUpperCase() + part.slice(1))].join('');
  const pascal = camel.charAt(0).toUpperCase() + camel.slice(1);
  return new RegExp(`^export (?:interface|type|class|const|function) (?:${camel}|${pascal})\\b`, 'm').test(
    read(link),
  );
}

function linesWith(turn: RegExp, path: string): string[] {
  return read(path)
    .split('\n')
    .flatMap((line, index) =>
      turn.test(line) ? [`${path}:${index + 1}: ${line.trim().slice(0, 120)}`] : [],
    );
}

/** The strings and templates of a source that have the turn; comments are not among them. */
function stringsWith(turn: RegExp, path: string): string[] {
  const strings = read(path).match(/'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g) ?? [];
  return strings.filter((text) => turn.test(text)).map((text) => `${path}: ${text.slice(0, 120)}`);
}

/** Sources of tests, and programs that tests run: no user reads what they say. */
function isOfTests(path: string): boolean {
  return /\.test\.ts$|\/test-/.test(path);
}

function section(document: string, heading: string): string {
  return new RegExp(`^## ${heading}\n(.*?)^## `, 'ms').exec(read(document))?.[1] ?? '';
}

function packageFolders(): string[] {
  return readdirSync(join(root, 'packages'));
}

function files(folder: string, ending: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => `${folder}/${name}`);
}

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}
