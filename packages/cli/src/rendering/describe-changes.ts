import { oneLine } from '../terminal/printable.ts';

/** Describes the changes made by a layer: `+1 message`, `instructions 0 → 9 characters`, `settings temperature`. */
export function describeChanges(changes: unknown): string[] {
  const { request, response } = (changes ?? {}) as {
    readonly request?: unknown;
    readonly response?: unknown;
  };
  return [...changesIn(request), ...changesIn(response)].map((text) => oneLine(text, 120));
}

function changesIn(changed: unknown): string[] {
  if (typeof changed !== 'object' || changed === null) return [];
  return Object.entries(changed).map(([name, how]: [string, unknown]) => describe(name, how));
}

function describe(name: string, how: unknown): string {
  if (Array.isArray(how)) return `${name} ${how.join(', ')}`;
  if (typeof how !== 'object' || how === null) return `${name} changed`;
  const { added, removed, length, from, to } = how as Readonly<Record<string, unknown>>;
  if (Array.isArray(added) || Array.isArray(removed)) {
    return [listed('+', added, name), listed('−', removed, name)].filter(Boolean).join(' ');
  }
  if (typeof length === 'object' && length !== null) {
    const { from: before, to: after } = length as Readonly<Record<string, unknown>>;
    return `${name} ${JSON.stringify(before)} → ${JSON.stringify(after)} characters`;
  }
  if (from !== undefined || to !== undefined) {
    return `${name} ${JSON.stringify(from)} → ${JSON.stringify(to)}`;
  }
  return `${name} ${Object.keys(how).join(', ')}`;
}

/** Lists names one by one, and counts other items. */
function listed(sign: string, list: unknown, name: string): string {
  if (!Array.isArray(list) || list.length === 0) return '';
  const one = name.replace(/s$/, '');
  if (list.every((each) => typeof each === 'string')) {
    return `${sign}${list.length === 1 ? one : name} ${list.join(', ')}`;
  }
  return `${sign}${list.length} ${list.length === 1 ? one : name}`;
}
