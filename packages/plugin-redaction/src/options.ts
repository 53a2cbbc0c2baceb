import { option, optionsSchema, type ShapeOutput, type StandardSchemaWithJson } from '@shallot/core/plugin';
import { RE2JS, RE2JSException } from 're2js';

import { kinds, type Kind } from './detectors.ts';
import type { Find } from './finder-stage.ts';
import type { OwnPattern } from './pattern-stage.ts';
import { actions, hashed, placeholder, redacted, type Action } from './replacements.ts';
import type { OwnFinder } from './text-redaction.ts';

/** Options of the plugin: detectors, and the action for each. */
export interface RedactionOptions {
  /** Action for each built-in kind; `false` leaves it as it is. Default: `placeholder`; `false` for `url`. */
  readonly detectors?: Readonly<Partial<Record<Kind, Action | false>>>;
  /** Additional detectors. Default: none. */
  readonly own?: readonly OwnDetector[];
  /**
   * Key for the action `hash`, required by it: a string of 16 characters or more. Values cannot be guessed from their
   * hashes without the key.
   */
  readonly hashKey?: string;
  /** Key that encrypts the values of placeholders: a string of 32 characters or more. Default: that of `keyFile`. */
  readonly key?: string;
  /**
   * File with the key, relative to the config file. Created on first use if its directory exists; otherwise only the
   * running process can read the values. Default: `.shallot/key`.
   */
  readonly keyFile?: string;
  /**
   * Tool calls whose arguments contain a replacement without a known value: `refuse` rejects the call with the reason,
   * `pass` passes the replacement to the tool. Default: `refuse`.
   */
  readonly marks?: 'refuse' | 'pass';
}

/** A detector with either a `pattern` in RE2's syntax or, in code, a function `find`. */
export interface OwnDetector {
  /** Name used in replacements: lower-case letters, digits and hyphens. */
  readonly name: string;
  readonly pattern?: string;
  /** Longest match of the pattern, in characters; a longer one counts as several. Default: 256. */
  readonly longest?: number;
  /** Returns the `[start, end]` pairs of the matches in a line. */
  readonly find?: Find;
  /** The replacement of matches. Default: `placeholder`. */
  readonly action?: Action;
}

const action = option.oneOf<Action>(...actions);
const choice = option.oneOf<Action | false>(...actions, false);

/** Names of built-in detectors. */
const taken: ReadonlySet<string> = new Set(kinds);

const own = option
  .object({
    name: option
      .text('lower-case letters, digits and hyphens', /^[a-z][a-z0-9-]{0,31}$/, (name) =>
        taken.has(name) ? `"${name}" is a name of the plugin's own; write another one` : undefined,
      )
      .required()
      .describe('The name used in replacements.'),
    pattern: option.text("a pattern in RE2's syntax", /./).describe("A pattern in RE2's syntax."),
    longest: option
      .integer({ min: 1, max: 4096 })
      .default(256)
      .describe('Longest match of the pattern, in characters.'),
    find: option.callback<Find>(),
    action: action.default('placeholder').describe('Action for a match.'),
  })
  .map(({ name, pattern, longest, find, action }, report): (OwnPattern | OwnFinder) & { action: Action } => {
    if (find !== undefined && pattern === undefined) return { name, find, action };
    if (find !== undefined || pattern === undefined)
      report('it has both or neither of pattern and find; write one of them');
    const compiled = compile(name, pattern ?? '', (message) => report(message, 'pattern'));
    return { name, pattern: compiled, longest, action };
  });

const shape = {
  detectors: option
    .object({
      secret: choice.default('placeholder').describe("Secrets, as the agent's log knows them."),
      email: choice.default('placeholder').describe('E-mail addresses.'),
      card: choice.default('placeholder').describe('Numbers of payment cards.'),
      iban: choice.default('placeholder').describe('International bank account numbers.'),
      phone: choice.default('placeholder').describe('Telephone numbers.'),
      ip: choice.default('placeholder').describe('IP addresses.'),
      mac: choice.default('placeholder').describe('Hardware addresses.'),
      url: choice.default(false).describe('Links.'),
    })
    .default({})
    .describe('What becomes of each kind that the plugin finds by itself; false for nothing.'),
  own: option
    .list(own)
    .default([])
    .map((list, report) => {
      for (const [index, { name }] of list.entries()) {
        if (list.findIndex((other) => other.name === name) < index)
          report(`"${name}" is the name of two detectors; write another one`, index, 'name');
      }
      return list;
    })
    .describe('Detectors of your own.'),
  key: option
    .text('a string of 32 characters or more', /^[^]{32}/)
    .secret()
    .describe('The key that seals the values behind placeholders.'),
  keyFile: option.text('a path', /./).describe('The file with that key.'),
  marks: option
    .oneOf('refuse', 'pass')
    .default('refuse')
    .describe('What becomes of calls with a mark whose value cannot be put back.'),
  hashKey: option
    .text('a string of 16 characters or more', /^[^]{16}/)
    .secret()
    .describe('The key of the action hash.'),
};

/** The options with defaults. */
export type Settings = ShapeOutput<typeof shape>;

const schema = optionsSchema(shape)['~standard'];

/** The schema of the options; also available as JSON Schema, for editors of config files. */
export const redactionOptions: StandardSchemaWithJson<RedactionOptions, Settings> = {
  '~standard': {
    ...schema,
    validate(value) {
      const result = schema.validate(value);
      if (result instanceof Promise || result.issues !== undefined || !lacksKey(result.value)) return result;
      const message =
        'it is missing, and a detector has the action "hash"; write a string of 16 characters or more';
      return { issues: [{ message, path: ['hashKey'] }] };
    },
  },
};

function lacksKey({ detectors, own, hashKey }: Settings): boolean {
  const chosen = [...Object.values(detectors), ...own.map(({ action }) => action)];
  return hashKey === undefined && chosen.includes('hash');
}

function compile(name: string, source: string, report: (message: string) => void): RE2JS {
  try {
    const pattern = RE2JS.compile(source);
    const replacement = [redacted(name), hashed('', name, ''), placeholder(name, 'BCDFGHJKLM')].find((each) =>
      pattern.matcher(each).find(),
    );
    if (pattern.matcher('').find()) report('it matches the empty string; write one that matches something');
    else if (replacement !== undefined)
      report(`it matches "${replacement}", which stands in place of a match; write a narrower one`);
    return pattern;
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    report(
      `it is not a pattern in RE2's syntax: ${error.message}; see https://github.com/google/re2/wiki/Syntax`,
    );
    return RE2JS.compile('');
  }
}
