import { kindOf } from '../../base/describe-value.ts';
import type { ModuleExports } from './import-module.ts';

/** Describes a module's exports for messages. */
export function describeExports(module: ModuleExports): string {
  const names = Object.keys(module).map((name) => `${name} (${kindOf(module[name])})`);
  return names.length === 0 ? 'nothing' : names.join(', ');
}
