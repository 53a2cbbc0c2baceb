import type { Files } from '../files/files.ts';
import type { ChatModel } from '../model.ts';
import type { Store } from '../store.ts';
import type { Tool } from '../tool.ts';

// What a user's module exports is told by its methods: it may come from another copy of the core, or from no class.

export function isChatModel(value: unknown): value is ChatModel {
  return hasMethods(value, 'generate') && 'id' in value && typeof value.id === 'string';
}

export function isTool(value: unknown): value is Tool {
  return hasMethods(value, 'execute', 'validate') && 'name' in value && typeof value.name === 'string';
}

export function isStore(value: unknown): value is Store {
  return hasMethods(value, 'load', 'commit', 'renew', 'list', 'delete');
}

export function isFiles(value: unknown): value is Files {
  return hasMethods(value, 'list', 'stat', 'read', 'readText', 'write', 'append', 'remove');
}

function hasMethods(value: unknown, ...names: readonly string[]): value is object {
  if (typeof value !== 'object' || value === null) return false;
  return names.every((name) => typeof Reflect.get(value, name) === 'function');
}
