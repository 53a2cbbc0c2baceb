import type { YAMLError, YAMLWarning } from 'yaml';

type Problem = YAMLError | YAMLWarning;

/** What is wrong with a YAML text, in the words of somebody who writes one, and where. */
export interface YamlFault {
  readonly what: string;
  readonly offset: number;
}

const indentation =
  'keys of one object begin in the same column, and what belongs to a key stands further right';

/** The parser's own words, and what they mean. */
const meanings: readonly (readonly [RegExp, string])[] = [
  [/^Tabs are not allowed as indentation/, 'this line is indented with a tab; use spaces'],
  [
    /^(?:Sequence item without - indicator|All (?:mapping|sequence) items must)/,
    `the indentation of this line fits nothing above it; ${indentation}`,
  ],
  [
    /^Nested mappings are not allowed in compact mappings/,
    'there is a second ": " in this value; put quotes around a text that has one, or begin another key on a line of its own',
  ],
  [
    /^(?:Implicit keys need to be on a single line|Implicit map keys need to be followed by map values)/,
    'a colon and a space are missing behind this key',
  ],
  [/^Missing closing ("|')quote/, 'a text in quotes is not closed before the end'],
  [
    /^Flow sequence in block/,
    'a list that begins with [ is not closed with ]; what is inside has to be indented',
  ],
  [
    /^Flow map in block/,
    'an object that begins with { is not closed with }; what is inside has to be indented',
  ],
  [/^Plain value cannot start with/, 'a text cannot begin with this character; put quotes around it'],
  [
    /^Invalid escape sequence/,
    'this escape is unknown between double quotes; use single quotes, or double the backslash',
  ],
  [/^Unexpected , in flow/, 'there is a comma too many'],
  [/^Unexpected .* at node end/, 'this belongs to nothing before it; look at the quotes and the indentation'],
  [/^Unresolved tag/, 'this is read as a tag; put quotes around a text that begins with "!"'],
  [/document.*---|multiple documents/i, 'it goes on after the end of a document ("---"); keep one document'],
];

/** Explains the first of the problems that a parser has found in a text. */
export function explainYaml(problems: readonly [Problem, ...Problem[]], text: string): YamlFault {
  const [first] = problems;
  const [offset] = first.pos;
  const isOverlong =
    first.code === 'BLOCK_AS_IMPLICIT_KEY' &&
    problems.some(({ code, pos }) => code === 'MULTILINE_IMPLICIT_KEY' && pos[0] === offset);
  if (isOverlong) {
    // The value is all right: it is the line below that was taken for a part of it.
    const next = /\n(?:\s*\n)*[ \t]*(?=\S)/.exec(text.slice(offset));
    const place = next === null ? offset : offset + next.index + next[0].length;
    return {
      what: `this line is indented as if it belonged to the value above it; ${indentation}`,
      offset: place,
    };
  }
  const meaning = meanings.find(([words]) => words.test(first.message))?.[1];
  return { what: meaning ?? first.message, offset };
}
