/**
 * One piece of a regular expression, such as an escape, a class, a group's beginning, a quantifier, or one character.
 */
export interface PatternToken {
  readonly type: 'open' | 'close' | 'or' | 'quantifier' | 'anchor' | 'atom' | 'back-reference';
  readonly text: string;
}

const escape = /^\\(?:u\{[\da-f]+\}|u[\da-f]{4}|x[\da-f]{2}|c[a-z]|[pP]\{[^}]*\}|[1-9]\d*|k<[^>]*>|[^])/i;
const open = /^\((?:\?(?:[:=!]|<[=!]|<[^>]*>|[a-z]*(?:-[a-z]*)?:))?/;
const quantifier = /^(?:[*+?]|\{\d+(?:,\d*)?\})\??/;

/** Splits a valid regular expression into tokens. */
export function tokensOf(pattern: string): PatternToken[] {
  const tokens: PatternToken[] = [];
  for (let rest = pattern; rest !== '';) {
    const token = nextToken(rest);
    tokens.push(token);
    rest = rest.slice(token.text.length);
  }
  return tokens;
}

function nextToken(rest: string): PatternToken {
  const [first = ''] = rest;
  if (first === '\\') {
    const text = escape.exec(rest)?.[0] ?? first;
    if (/^\\[bB]$/.test(text)) return { type: 'anchor', text };
    return { type: /^\\(?:[1-9]|k<)/.test(text) ? 'back-reference' : 'atom', text };
  }
  if (first === '[') return { type: 'atom', text: classAt(rest) };
  if (first === '(') return { type: 'open', text: open.exec(rest)?.[0] ?? first };
  if (first === ')') return { type: 'close', text: first };
  if (first === '|') return { type: 'or', text: first };
  if (first === '^' || first === '$') return { type: 'anchor', text: first };
  const repeated = quantifier.exec(rest)?.[0];
  return repeated === undefined ? { type: 'atom', text: first } : { type: 'quantifier', text: repeated };
}

function classAt(rest: string): string {
  let at = 1;
  while (at < rest.length && rest[at] !== ']') at += rest[at] === '\\' ? 2 : 1;
  return rest.slice(0, at + 1);
}
