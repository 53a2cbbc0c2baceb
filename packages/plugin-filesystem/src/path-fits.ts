import picomatch from 'picomatch';
import { RE2JS, RE2JSException } from 're2js';

import { Refusal } from './refusal.ts';

const maxLength = 500;

/**
 * The lookaheads by which picomatch keeps patterns from matching `.`, `..` or an empty name. They can be removed,
 * because paths here have no such names; they must be, because a linear-time engine supports no lookahead.
 */
const lookaheads = [
  String.raw`(?!(?:^|\/)\.{1,2}(?:\/|$))`,
  String.raw`(?!\.{1,2}(?:\/|$))`,
  String.raw`(?=.)`,
];

/**
 * Returns a function that returns true if a file in a directory fits a glob. The glob applies to the path relative to
 * the directory, or relative to the root if the glob begins with a slash.
 * @throws `Refusal`
 */
export function pathFits(glob: string, directory: string): (file: string) => boolean {
  const fits = pathPattern(glob);
  const start = directory === '/' || glob.startsWith('/') ? 1 : directory.length + 1;
  return (file) => fits(file.slice(start));
}

/** Returns a function that returns true if a path without a slash at its beginning fits a glob. @throws `Refusal` */
function pathPattern(glob: string): (relative: string) => boolean {
  if (glob.length > maxLength)
    throw new Refusal(`The pattern has ${glob.length} characters; write at most ${maxLength}.`);
  const pattern = glob.replace(/^(?:\.?\/)+/, '');
  if (pattern === '') throw new Refusal('The pattern is empty. Write one such as **/*.ts.');
  const { source } = picomatch.makeRe(pattern, { dot: true, posix: true, maxLength });
  const linear = lookaheads.reduce((text, lookahead) => text.replaceAll(lookahead, ''), source);
  try {
    const compiled = RE2JS.compile(linear, RE2JS.DOTALL);
    return (relative) => compiled.test(relative);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw new Refusal(
      `The pattern ${JSON.stringify(glob)} cannot be used. Write *, **, ?, [abc], {a,b}, @(a|b), *(a), +(a) and ?(a); negations with ! are not supported.`,
    );
  }
}
