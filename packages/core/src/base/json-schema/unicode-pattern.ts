import { tokensOf, type PatternToken } from './pattern-tokens.ts';

/**
 * Rewrites a pattern for the `u` flag. Patterns that compile only without it (`[\w-.]`, `\-`, a literal brace) keep
 * their meaning. Returns undefined for a pattern that does not compile, or cannot be rewritten.
 */
export function unicodePattern(pattern: string): string | undefined {
  if (compiles(pattern, 'u')) return pattern;
  if (!compiles(pattern, '')) return undefined;
  const written = tokensOf(pattern).map(withFlag).join('');
  return compiles(written, 'u') ? written : undefined;
}

function compiles(pattern: string, flags: string): boolean {
  try {
    return new RegExp(pattern, flags) instanceof RegExp;
  } catch {
    // The pattern does not compile.
    return false;
  }
}

function withFlag({ type, text }: PatternToken): string {
  if (type !== 'atom') return text;
  if (text.startsWith('[')) return classWithFlag(text);
  if (/^[{}\]]$/.test(text)) return `\\${text}`;
  return escapeWithFlag(text);
}

/** With the `u` flag, only syntax characters may be escaped. */
function escapeWithFlag(text: string): string {
  return /^\\[^$^\\.*+?()[\]{}|/dDwWsSbBfnrtv0cuxpPk]$/.test(text) ? text.slice(1) : text;
}

const classPiece = /\\(?:u\{[\da-f]+\}|u[\da-f]{4}|x[\da-f]{2}|c[a-z]|[pP]\{[^}]*\}|[^])|[^]/gi;

/** Escapes hyphens next to character classes, which are literal. */
function classWithFlag(text: string): string {
  const negation = text.startsWith('[^') ? '^' : '';
  const pieces = text.slice(1 + negation.length, -1).match(classPiece) ?? [];
  const written = pieces.map((piece, index) => {
    const isBeside = [pieces[index - 1], pieces[index + 1]].some((each) => /^\\[dDwWsSpP]/.test(each ?? ''));
    if (piece === '-' && isBeside) return '\\-';
    return piece === '\\-' ? piece : escapeWithFlag(piece);
  });
  return `[${negation}${written.join('')}]`;
}
