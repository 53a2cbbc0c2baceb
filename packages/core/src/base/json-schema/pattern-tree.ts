import { tokensOf } from './pattern-tokens.ts';

/** A regular expression as a tree; an `atom` matches one character, described by `text`. */
export type PatternNode =
  | { readonly type: 'atom'; readonly text: string }
  | { readonly type: 'sequence' | 'choice'; readonly items: readonly PatternNode[] }
  | { readonly type: 'repeat'; readonly item: PatternNode; readonly min: number; readonly max: number }
  /** A lookaround, which consumes nothing. */
  | { readonly type: 'look'; readonly item: PatternNode };

/** Parses a regular expression. Returns undefined if it has back-references, which cannot be analysed. */
export function patternTree(pattern: string): PatternNode | undefined {
  const tokens = tokensOf(pattern);
  if (tokens.some(({ type }) => type === 'back-reference')) return undefined;
  let at = 0;

  function choice(): PatternNode {
    const items = [sequence()];
    while (tokens[at]?.type === 'or') {
      at += 1;
      items.push(sequence());
    }
    return { type: 'choice', items };
  }

  function sequence(): PatternNode {
    const items: PatternNode[] = [];
    for (let token = tokens[at]; token !== undefined; token = tokens[at]) {
      if (token.type === 'or' || token.type === 'close') break;
      at += 1;
      if (token.type === 'quantifier') {
        const item = items.pop();
        if (item !== undefined) items.push({ type: 'repeat', item, ...boundsOf(token.text) });
      } else if (token.type === 'open') {
        const item = choice();
        at += 1;
        items.push(/^\(\?<?[=!]/.test(token.text) ? { type: 'look', item } : item);
      } else if (token.type === 'atom') {
        items.push({ type: 'atom', text: token.text });
      }
    }
    return { type: 'sequence', items };
  }

  return choice();
}

function boundsOf(quantifier: string): { readonly min: number; readonly max: number } {
  const [sign] = quantifier;
  if (sign === '*') return { min: 0, max: Infinity };
  if (sign === '+') return { min: 1, max: Infinity };
  if (sign === '?') return { min: 0, max: 1 };
  const [, min = '0', comma, max = ''] = /^\{(\d+)(,?)(\d*)/.exec(quantifier) ?? [];
  return { min: Number(min), max: comma === '' ? Number(min) : max === '' ? Infinity : Number(max) };
}
