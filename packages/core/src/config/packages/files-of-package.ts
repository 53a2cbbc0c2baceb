import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';

import { isModuleFile } from './names.ts';

/** Returns the files of a package that may contain code or data, as relative paths, without nested packages. */
export function filesOfPackage(directory: string): string[] {
  const entries = readdirSync(directory, { withFileTypes: true });
  return entries.flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory() && entry.name !== 'node_modules') {
      return filesOfPackage(path).map((inner) => join(entry.name, inner));
    }
    const isCode = isModuleFile(entry.name) || /\.(?:json|node|wasm)$/.test(entry.name);
    return entry.isFile() && isCode ? [relative(directory, path)] : [];
  });
}
