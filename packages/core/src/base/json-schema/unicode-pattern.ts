import { tokensOf, type PatternToken } from './pattern-tokens.ts';

/**
 * A pattern as the `u` flag takes it. One that compiles only without the flag (`[\w-.]`, `\-`, a brace that stands for
 * itself) is written so that it means the same with it. Undefined for one that does not compile.
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
    // What does not compile is what is asked here.
    return false;
  }
}

function withFlag({ type, text }: PatternToken): string {
  if (type !== 'atom') return text;
  if (text.startsWith('[')) return classWithFlag(text);
  if (/^[{}\]]$/.test(text)) return `\\${text}`;
  return escapeWithFlag(text);
}

/** With the flag, only what means something may be escaped. */
function escapeWithFlag(text: string): string {
  return /^\\[^$^\\.*+?()[\]{}|/dDwWsSbBfnrtv0cuxpPk]$/.test(text) ? text.slice(1) : text;
}

const classPiece = /\\(?:u\{[\da-f]+\}|u[\da-f]{4}|x[\da-f]{2}|c[a-z]|[pP]\{[^}]*\}|[^])|[^]/gi;

/** A hyphen beside a class of characters stands for itself. */
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
