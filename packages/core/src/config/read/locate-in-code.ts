import { positionAt, type ConfigPath, type Locate } from '../modules/locate.ts';

/**
 * Finds entries of a config that is code, as well as text can: each key of a path is looked for behind the one before
 * it, an element of a list by the name that its `use` (or it itself) has. What is not found is placed at its parent,
 * in the end at the file alone.
 */
export function locateInCode(file: string, source: string, value: unknown): Locate {
  return (path) => {
    let offset = -1;
    let current = value;
    for (const segment of path) {
      current = child(current, segment);
      const found =
        typeof segment === 'number' ? findElement(source, current, offset) : findKey(source, segment, offset);
      if (found !== -1) offset = found;
    }
    return offset === -1 ? { file } : { file, ...positionAt(source, offset) };
  };
}

function child(value: unknown, segment: ConfigPath[number]): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, segment) : undefined;
}

function findKey(source: string, key: string, from: number): number {
  const name = key.replaceAll(/[^\w$]/g, String.raw`\$&`);
  const match = new RegExp(String.raw`(?<![\w$.])(['"]?)${name}\1\s*[:,}]`).exec(source.slice(from + 1));
  return match === null ? -1 : from + 1 + match.index;
}

function findElement(source: string, element: unknown, from: number): number {
  const name = typeof element === 'string' ? element : child(element, 'use');
  if (typeof name !== 'string') return -1;
  const places = [`'${name}'`, `"${name}"`, `\`${name}\``].map((quoted) => source.indexOf(quoted, from + 1));
  const found = places.filter((place) => place !== -1);
  return found.length === 0 ? -1 : Math.min(...found);
}
