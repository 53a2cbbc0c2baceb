/**
 * The functions of awk that only compute. `system` and `getline` execute commands, and `close` and `fflush` are for
 * written files, so they are not listed.
 */
const functions = new Set(
  'length substr index split sub gsub gensub match sprintf tolower toupper int sqrt exp log sin cos atan2 rand srand strtonum strftime systime'.split(
    ' ',
  ),
);
const words = new Set(
  'BEGIN END NR NF FNR FS OFS RS ORS FILENAME SUBSEP RSTART RLENGTH IGNORECASE FIELDWIDTHS FPAT print printf if else for in while do break continue next exit delete'.split(
    ' ',
  ),
);

/** Versions of awk disagree on slashes in bracket expressions, so these contain neither slashes nor brackets. */
const bracket = String.raw`\[(?:\^[^\]\[\\/\n]|[^\]\[^\\/\n])[^\]\[\\/\n]*\]`;
const pattern = String.raw`/(?:[^/\\\n[]|\\[^\n]|${bracket})+/`;
const token = new RegExp(
  String.raw`\s+|#[^\n]*|"(?:[^"\\\n]|\\[^\n])*"|[A-Za-z_]\w*|\d+(?:\.\d+)?|${pattern}|&&|\|\||[<>!=+*%^-]=|[{}()[\];,$<>!=+*%^~?:-]`,
  'gy',
);

/** The tokens after which a slash begins a pattern. After any other token, it may be a division. */
const beforePattern = new Set(['', '(', ',', '~', '!', '{', '}', ';', '&&', '||']);

/** Returns true if a program of awk only computes and prints: nothing is executed, written, or read but its operands. */
export function awkReads(text: string): boolean {
  const tokens = [...text.matchAll(token)].map(([found]) => found);
  // The expression is sticky, so anything that is not a token ends the list early, for example `|` and `@`.
  if (tokens.join('') !== text) return false;
  const seen = tokens.filter((each) => !/^(?:\s|#)/.test(each));
  const prints = seen.findIndex((each) => each === 'print' || each === 'printf');
  // After a print, `>` writes to a file.
  if (prints !== -1 && seen.slice(prints).includes('>')) return false;
  return seen.every((each, index) => {
    if (each.startsWith('/')) return beforePattern.has(seen[index - 1] ?? '');
    if (!/^[A-Za-z_]/.test(each)) return true;
    if (each === each.toUpperCase()) return words.has(each) || each.length === 1;
    const isCalled = seen[index + 1] === '(';
    if (words.has(each) || functions.has(each)) return true;
    return (
      !isCalled &&
      !/^(?:system|getline|close|fflush|func|function|nextfile|include|load|namespace)$/.test(each)
    );
  });
}
