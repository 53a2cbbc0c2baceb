import { realpathSync } from 'node:fs';
import { relative, sep } from 'node:path';

import { openPlace } from './open-place.ts';
import { joinPath, splitPath } from './path.ts';

/** Returns a path below `root` with its links resolved. Names that do not exist are kept. @throws as `openPlace` does */
export function realPath(root: string, path: string): string {
  const names = splitPath(path, 'directory');
  for (let there = names.length; there > 0; there -= 1) {
    const place = openPlace(root, names.slice(0, there), { path, create: false, follow: true });
    if (place === undefined) continue;
    try {
      const above = relative(realpathSync.native(root), place.directory.realPath()).split(sep);
      const found = [...above, place.name].filter((name) => name !== '' && name !== '.');
      return joinPath([...found, ...names.slice(there)]);
    } finally {
      place.directory.close();
    }
  }
  return joinPath(names);
}
