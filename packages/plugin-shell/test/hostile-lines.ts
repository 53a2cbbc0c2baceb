import { readFileSync } from 'node:fs';

/** Spellings of the program that a rule denies. */
const spellings = ['rm', '/bin/rm', "r''m", '\\rm', "'rm'", '"r"m', "$'\\x72m'"];

/** Returns the lines of a list, with `⏎` replaced by a line feed. */
export function listOf(name: string): readonly string[] {
  const text = readFileSync(new URL(`lists/${name}.txt`, import.meta.url), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => line.replaceAll('⏎', '\n'));
}

/** Lines that try to execute `rm victim` in many ways, and with several spellings of the program. */
export const hostileLines: readonly string[] = listOf('hostile-ways').flatMap((way) =>
  way.includes('{rm}') ? spellings.slice(0, 5).map((rm) => way.replaceAll('{rm}', () => rm)) : [way],
);

/**
 * Calls of programs that execute `./x`, write or hang. `{--option}` is expanded to the option and all of its
 * abbreviations.
 */
export const hostileSpellings: readonly string[] = listOf('spellings').flatMap((line) => {
  const [braces = '', option = ''] = /\{(--[a-z0-9-]+)\}/.exec(line) ?? [];
  const lengths = [...Array(Math.max(0, option.length - 3)).keys()].map((index) => index + 4);
  return braces === ''
    ? [line]
    : lengths.map((length) => line.replace(braces, () => option.slice(0, length)));
});
