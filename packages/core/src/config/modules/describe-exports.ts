import type { ModuleExports } from './import-module.ts';

/** What a module exports, for messages. */
export function describeExports(module: ModuleExports): string {
  const names = Object.keys(module).map((name) => `${name} (${kindOf(module[name])})`);
  return names.length === 0 ? 'nothing' : names.join(', ');
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
