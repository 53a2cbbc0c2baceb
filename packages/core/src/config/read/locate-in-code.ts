import { memberAt } from '../../base/is-object.ts';
import { positionAt, type Locate } from '../modules/locate.ts';

/**
 * Locates entries of a config in code by searching its text for a key with its value, a key, or a `use` name that
 * occurs exactly once. Other values get the location of their parent or file; nothing is guessed.
 */
export function locateInCode(file: string, source: string, value: unknown): Locate {
  return (path) => {
    let offset: number | undefined;
    let current = value;
    for (const segment of path) {
      current = memberAt(current, [segment]);
      const patterns =
        typeof segment === 'string'
          ? [`${keySource(segment)}\\s*${literalSource(current)}`, keySource(segment)]
          : [literalSource(memberAt(current, ['use']) ?? current)];
      const found = patterns.map((pattern) => onlyPlace(source, pattern));
      offset = found.find((place) => place !== undefined) ?? offset;
    }
    return offset === undefined ? { file } : { file, ...positionAt(source, offset) };
  };
}

function keySource(key: string): string {
  return String.raw`(?<![\w$.])(['"]?)${escaped(key)}\1\s*[:,}]`;
}

/** Returns a pattern for the source of a string or number; for other values one that never matches. */
function literalSource(value: unknown): string {
  if (typeof value === 'string') return String.raw`(?<quote>['"\u0060])${escaped(value)}\k<quote>`;
  return typeof value === 'number' ? String.raw`${escaped(String(value))}(?![\w.])` : '(?!)';
}

function escaped(text: string): string {
  return text.replaceAll(/\W/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

function onlyPlace(source: string, pattern: string): number | undefined {
  const [first, second] = source.matchAll(new RegExp(pattern, 'gu'));
  return second === undefined ? first?.index : undefined;
}
