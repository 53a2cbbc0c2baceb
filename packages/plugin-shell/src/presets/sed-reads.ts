const number = String.raw`(?:\d+|\$)`;
const blanks = String.raw`[ \t]*`;

/** Versions of sed disagree on delimiters in bracket expressions, so these contain neither delimiters nor brackets. */
const bracket = (end: string): string => {
  const inside = String.raw`\]\[\\\n${end}`;
  return String.raw`\[(?:\^[^${inside}^]|[^${inside}^])[^${inside}]*\]`;
};
const pattern = (end: string): string => String.raw`(?:[^${end}\\\n[]|\\[^\n]|${bracket(end)})*`;
const replacement = (end: string): string => String.raw`(?:[^${end}\\\n]|\\[^\n])*`;

const address = `(?:${number}|/${pattern('/')}/I?)`;
const range = String.raw`(?:\d+~\d+|${address}(?:${blanks},${blanks}(?:${address}|[+~]\d+))?)`;
const substitute = ['/', '|', ',', '#', '@', '!'].map((mark) => {
  const end = `\\${mark}`;
  return String.raw`s${end}${pattern(end)}${end}${replacement(end)}${end}[gpiI\d]*`;
});
const command = `(?:${range})?${blanks}(?:!${blanks})?(?:[pPdDqQ=lnNhHgGxz]|${substitute.join('|')})${blanks}`;
const script = new RegExp(`^${blanks}${command}(?:[;\n]${blanks}${command})*;?$`);

/**
 * Returns true if a script of sed only prints: addresses, `p`, `d`, `s/…/…/g` and the like. `e` and `s/…/…/e` would execute,
 * `w` would write, `r` would read other files.
 */
export function sedReads(text: string): boolean {
  return text.length <= 2000 && script.test(text);
}
