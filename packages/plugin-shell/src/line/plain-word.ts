import type { Word, WordPart } from 'unbash';

/** A word of a plain command, as far as it is known before a shell has read it. */
export interface PlainWord {
  /** The word as its program gets it; with a `*` for each part that only the shell knows. */
  readonly text: string;
  /** True if the shell fills in the `*` of the text. */
  readonly isOpen: boolean;
  /** True if the shell may make several words of it, or none. */
  readonly isMany: boolean;
  /**
   * True if spaces in the text that the shell fills in would split the word. The later words could then be anything.
   */
  readonly isSplit?: boolean;
}

/** The values of the variables that a line sets itself, by name. */
export type Bindings = ReadonlyMap<string, PlainWord>;

/** Characters that cannot be seen, or that look like a space. */
const unseen = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/u;

/** Characters that mean themselves outside of quotes; `~` and `^` do so only inside of a word. */
const unquoted = /^(?:[\p{L}\p{M}\p{N}_./:=@%+,-]|(?<=[\p{L}\p{N}_^~])[~^]|\\[\x20-\x7e])+$/u;

/**
 * Matches `{a,b}`. It is judged as the pattern `*`, which stands for neither hidden names nor directories, so the
 * alternatives may contain neither.
 */
const braces = /^\{\w[\w.-]*(?:,\w[\w.-]*)+\}$/;

/** Variables with directories of the user: absolute paths, which the model does not choose. */
const directories: ReadonlySet<string> = new Set(['HOME', 'PWD', 'TMPDIR']);

/** Other variables of the user, whose values are not known when a line is judged. */
const ofTheUser: ReadonlySet<string> = new Set(['PATH', 'USER', 'SHELL', 'LANG']);

const known = (text: string): PlainWord => ({ text, isOpen: false, isMany: false });

/**
 * Returns a word that all shells read alike: literal text, quotes, patterns of file names, and variables with
 * harmless values; undefined for other words.
 */
export function plainWord({ text, value, parts }: Word, bindings: Bindings): PlainWord | undefined {
  if (unseen.test(value.replaceAll(/[\n\t]/g, ''))) return undefined;
  if (text === '{}' || text === '[' || text === ']') return known(text);
  const home = /^~(?=\/|$)/.test(text) ? known('~') : undefined;
  if (parts === undefined) {
    if (home === undefined) return unquoted.test(text) ? known(value) : undefined;
    return text === '~' || unquoted.test(text.slice(1)) ? known(value) : undefined;
  }
  const [first, ...rest] = parts;
  const isHome = home !== undefined && first?.type === 'Literal' && /^~(?:\/|$)/.test(first.text);
  if (isHome && first.text !== '~' && !unquoted.test(first.text.slice(1))) return undefined;
  const read = [
    ...(isHome ? [known(first.value)] : first === undefined ? [] : [plainPart(first, bindings, 'bare')]),
    ...rest.map((part) => plainPart(part, bindings, 'bare')),
  ];
  const word = join(read);
  // If a space splits `src/*/*`, a part of it may be any absolute path.
  const isWild =
    word?.isSplit === true && word.text.split('/').filter((name) => name.includes('*')).length > 1;
  return isWild ? undefined : word;
}

function join(parts: readonly (PlainWord | undefined)[]): PlainWord | undefined {
  const all = parts.filter((part) => part !== undefined);
  if (all.length < parts.length) return undefined;
  return {
    text: all.map(({ text }) => text).join(''),
    isOpen: all.some(({ isOpen }) => isOpen),
    isMany: all.some(({ isMany }) => isMany),
    isSplit: all.some(({ isSplit }) => isSplit === true),
  };
}

function plainPart(part: WordPart, bindings: Bindings, where: 'bare' | 'quoted'): PlainWord | undefined {
  switch (part.type) {
    case 'SingleQuoted':
      return known(part.value);
    case 'DoubleQuoted':
      return join(part.parts.map((each) => plainPart(each, bindings, 'quoted')));
    case 'Literal':
      return where === 'quoted' || unquoted.test(part.text) ? known(part.value) : undefined;
    case 'Glob':
      return part.kind !== 'bracket' || /^\[[\w!-]+\]$/.test(part.text)
        ? { text: '*', isOpen: true, isMany: true }
        : undefined;
    case 'BraceExpansion':
      return braces.test(part.text) ? { text: '*', isOpen: true, isMany: true } : undefined;
    case 'SimpleExpansion':
      return variable(part.text.slice(1), bindings, where);
    case 'ParameterExpansion':
      return part.text === `\${${part.parameter}}` ? variable(part.parameter, bindings, where) : undefined;
    default:
      return undefined;
  }
}

function variable(name: string, bindings: Bindings, where: 'bare' | 'quoted'): PlainWord | undefined {
  if (name === '?') return known('0');
  const bound = bindings.get(name);
  if (bound === undefined) {
    if (ofTheUser.has(name)) return { text: '*', isOpen: true, isMany: where === 'bare' };
    if (!directories.has(name)) return undefined;
    // Spaces in the working directory would make several words of it.
    return where === 'quoted' || name === 'HOME' ? { text: '~', isOpen: false, isMany: false } : undefined;
  }
  if (where === 'quoted') return { ...bound, isMany: false };
  if (bound.isOpen) return { ...bound, isMany: true, isSplit: true };
  return /^[\w./:@%+,=-]+$/.test(bound.text) ? bound : undefined;
}

/** Returns true if the shell may turn a word into one that begins with a dash. */
export function mayBeAnOption({ text, isOpen, isSplit }: PlainWord): boolean {
  return isOpen && (text.startsWith('*') || isSplit === true);
}
