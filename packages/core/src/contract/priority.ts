import { ShallotError } from '../base/errors.ts';
import { hookNames, type HookName } from '../base/hook-names.ts';

/** A number from 0 to 100, higher is outside; or a default with other numbers for single hooks. */
export type Priority = number | PriorityByHook;

export type PriorityByHook = { readonly default?: number } & Partial<Record<HookName, number>>;

/** The default priority: the band of the application's own logic. */
export const defaultPriority = 25;

/** @throws `PRIORITY_RANGE` for anything but finite numbers from 0 to 100, `OPTION_INVALID` for an unknown hook */
export function checkPriority(priority: unknown, plugin: string): void {
  if (typeof priority !== 'object' || priority === null || Array.isArray(priority)) {
    return checkNumber(priority, plugin);
  }
  for (const [hook, value] of Object.entries(priority)) {
    if (hook !== 'default' && !hookNames.some((name) => name === hook)) {
      throw new ShallotError('OPTION_INVALID', {
        message: `The priority of "${plugin}" names the hook "${hook}"; hooks are ${hookNames.join(', ')}.`,
        plugin,
      });
    }
    checkNumber(value, plugin, hook);
  }
}

function checkNumber(value: unknown, plugin: string, hook?: string): void {
  if (typeof value === 'number' && value >= 0 && value <= 100) return;
  const received = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? String(value));
  const where = hook === undefined || hook === 'default' ? '' : ` for ${hook}`;
  throw new ShallotError('PRIORITY_RANGE', {
    message: `The priority of "${plugin}"${where} is ${received}; write a number from 0 (innermost) to 100 (outermost).`,
    plugin,
  });
}

/** Returns the priority for a hook. */
export function priorityFor(priority: Priority | undefined, hook: HookName): number {
  if (priority === undefined) return defaultPriority;
  if (typeof priority === 'number') return priority;
  return priority[hook] ?? priority.default ?? defaultPriority;
}
