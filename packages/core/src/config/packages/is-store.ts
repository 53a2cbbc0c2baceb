import { isObject } from '../../base/is-object.ts';
import type { Store } from '../../contract/store.ts';
import type { Queue } from '../../contract/work/queue.ts';
import type { Files } from '../../files/files.ts';

// Users implement these interfaces themselves, so they are recognized by their methods.

export function isStore(value: unknown): value is Store {
  return hasMethods(value, 'load', 'commit', 'renew', 'requestStop', 'list', 'delete');
}

export function isFiles(value: unknown): value is Files {
  return hasMethods(value, 'list', 'stat', 'read', 'readText', 'write', 'append', 'remove');
}

export function isQueue(value: unknown): value is Queue {
  return hasMethods(value, 'wake', 'listen');
}

function hasMethods(value: unknown, ...names: readonly string[]): value is object {
  return isObject(value) && names.every((name) => typeof value[name] === 'function');
}
