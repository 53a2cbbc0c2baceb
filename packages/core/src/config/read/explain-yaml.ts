import type { YAMLError, YAMLWarning } from 'yaml';

type Problem = YAMLError | YAMLWarning;

/** A syntax error in YAML in terms that config authors understand, with its position. */
export interface YamlFault {
  readonly what: string;
  readonly offset: number;
}

const indentation = 'all keys of an object start in the same column, and their values are indented further';

/** Patterns of the parser's messages, with clearer ones. */
const meanings: readonly (readonly [RegExp, string])[] = [
  [/^Tabs are not allowed as indentation/, 'this line is indented with a tab; use spaces'],
  [
    /^(?:Sequence item without - indicator|All (?:mapping|sequence) items must)/,
    `the indentation of this line does not match any line above; ${indentation}`,
  ],
  [
    /^Nested mappings are not allowed in compact mappings/,
    'there is a second ": " in this value; put the value in quotes, or start the other key on its own line',
  ],
  [
    /^(?:Implicit keys need to be on a single line|Implicit map keys need to be followed by map values)/,
    'a colon and a space are missing after this key',
  ],
  [/^Missing closing ("|')quote/, 'a quoted string is not closed'],
  [
    /^Flow sequence in block/,
    'a list that starts with [ is not closed with ]; its contents must be indented',
  ],
  [/^Flow map in block/, 'an object that starts with { is not closed with }; its contents must be indented'],
  [/^Plain value cannot start with/, 'a string cannot start with this character; put it in quotes'],
  [
    /^Invalid escape sequence/,
    'this escape sequence is unknown in double quotes; use single quotes, or double the backslash',
  ],
  [/^Unexpected , in flow/, 'there is an extra comma'],
  [
    /^Unexpected .* at node end/,
    'this does not belong to anything before it; check the quotes and the indentation',
  ],
  [/^Unresolved tag/, 'this is read as a tag; put a string that starts with "!" in quotes'],
  [
    /document.*---|multiple documents/i,
    'it continues after the end of a document ("---"); keep one document',
  ],
];

/** Returns an explanation of the first problem that the parser found. */
export function explainYaml(problems: readonly [Problem, ...Problem[]], text: string): YamlFault {
  const [first] = problems;
  const [offset] = first.pos;
  const isOverlong =
    first.code === 'BLOCK_AS_IMPLICIT_KEY' &&
    problems.some(({ code, pos }) => code === 'MULTILINE_IMPLICIT_KEY' && pos[0] === offset);
  if (isOverlong) {
    // The line after the value caused the error, not the value.
    const next = /\n(?:\s*\n)*[ \t]*(?=\S)/.exec(text.slice(offset));
    const place = next === null ? offset : offset + next.index + next[0].length;
    return {
      what: `this line is indented as if it belonged to the value above; ${indentation}`,
      offset: place,
    };
  }
  const meaning = meanings.find(([words]) => words.test(first.message))?.[1];
  return { what: meaning ?? first.message, offset };
}
