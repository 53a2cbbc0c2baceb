import { messageOf, ShallotError } from '../errors.ts';
import { positionAt, type ConfigSource } from './locate.ts';
import { parseYaml } from './parse-yaml.ts';

/** Parses JSON, with the place of each value. @throws `CONFIG_SYNTAX` for anything that is YAML only, too */
export function parseJson(text: string, file: string): ConfigSource {
  try {
    JSON.parse(text);
  } catch (error) {
    const message = `The config is not JSON: ${messageOf(error).replace(/ (?:in|after) JSON at position.*| \(line.*/, '')}. ${hint(text)}`;
    throw new ShallotError('CONFIG_SYNTAX', {
      message,
      at: { file, ...positionAt(text, firstErrorIn(text)) },
      cause: error,
    });
  }
  // JSON is a part of YAML; what the YAML parser adds is the places, and the checks of keys.
  return parseYaml(text, file);
}

function hint(text: string): string {
  if (/^\s*(?:\/\/|\/\*|#)/m.test(text)) return 'JSON has no comments: remove them, or write YAML.';
  if (/,\s*[}\]]/.test(text)) return 'JSON has no comma behind the last element.';
  return 'Correct it there, or write YAML.';
}

const value = String.raw`"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null`;
const token = new RegExp(String.raw`\s*(?:(${value})(?![\w.])|([[\]{},:]))`, 'y');

/** The offset of the first thing that cannot stand where it stands; V8 tells it for some errors only. */
function firstErrorIn(text: string): number {
  const open: string[] = [];
  let expected: 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'next' = 'value';
  let offset = 0;
  for (;;) {
    token.lastIndex = offset;
    const [whole, scalar, mark] = token.exec(text) ?? [];
    const start = whole === undefined ? skipSpace(text, offset) : token.lastIndex - whole.trimStart().length;
    if (whole === undefined) return start;
    offset = token.lastIndex;
    const wantsValue = expected === 'value' || expected === 'value or end';
    const wantsKey = expected === 'key' || expected === 'key or end';
    if (scalar !== undefined) {
      if (wantsKey && scalar.startsWith('"')) expected = 'colon';
      else if (wantsValue) expected = 'next';
      else return start;
    } else if (mark === '{' || mark === '[') {
      if (!wantsValue) return start;
      open.push(mark);
      expected = mark === '{' ? 'key or end' : 'value or end';
    } else if (mark === ':') {
      if (expected !== 'colon') return start;
      expected = 'value';
    } else if (mark === ',') {
      if (expected !== 'next' || open.length === 0) return start;
      expected = open.at(-1) === '{' ? 'key' : 'value';
    } else {
      const mayEnd = expected === 'next' || expected === (mark === '}' ? 'key or end' : 'value or end');
      if (!mayEnd || open.pop() !== (mark === '}' ? '{' : '[')) return start;
      expected = 'next';
    }
  }
}

function skipSpace(text: string, offset: number): number {
  return offset + (/^\s*/.exec(text.slice(offset))?.[0].length ?? 0);
}
