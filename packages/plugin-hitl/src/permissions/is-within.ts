import { fitsPattern, type PermissionRule } from '@shallot/core/plugin';

/**
 * Returns whether everything that a rule allows is allowed by another one, as far as their texts show it: name by name of a
 * path, word by word of a command. False where that is not certain.
 */
export function isWithin(rule: PermissionRule, wider: PermissionRule): boolean {
  if (!fitsPattern(wider.name, rule.name)) return false;
  if (wider.pattern === undefined || rule.pattern === wider.pattern) return true;
  if (rule.pattern === undefined) return false;
  const isCommand = /\s/.test(rule.pattern + wider.pattern);
  const parts = (pattern: string): string[] => pattern.split(isCommand ? /\s+/ : '/');
  return areWithin(parts(rule.pattern), parts(wider.pattern), isCommand);
}

function areWithin(parts: readonly string[], wider: readonly string[], isCommand: boolean): boolean {
  const last = wider.at(-1) ?? '';
  // Further words of a command may follow, or everything below a directory.
  const isOpen = isCommand ? last.endsWith('*') : last === '**';
  if (parts.length < wider.length || (parts.length > wider.length && !isOpen)) return false;
  return wider.every((part, at) => {
    const own = parts[at] ?? '';
    if (!isCommand && at === wider.length - 1 && isOpen) return own !== '';
    // `**` means more than a name, and only another `**` means as much.
    return !own.includes('**') && !part.includes('**') && fitsPattern(part, own);
  });
}
