const value = String.raw`"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null`;
const token = new RegExp(String.raw`\s*(?:(${value})(?![\w.])|([[\]{},:]))`, 'y');

/** Returns the offset of the first syntax error. V8 reports it only for some errors. */
export function firstJsonError(text: string): number {
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
  return offset + text.slice(offset).search(/\S|$/);
}
