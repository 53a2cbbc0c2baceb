import type { Touch } from '@shallot/core/plugin';

import { PathRule } from './path-rule.ts';

/** An access to a path: `list` reads the names of a directory, `walk` everything below it. */
export type PathAccess = 'read' | 'write' | 'list' | 'walk';

/** Returns what rules see of an access to a path, which has no links. */
export function pathTouch(path: string, access: PathAccess, isUnlocked = false): Touch {
  return {
    subject: access === 'write' ? 'edit' : 'read',
    access: access === 'list' ? 'walk' : access,
    what: path,
    isUnlocked,
    covers: (pattern, list) =>
      list === 'allow' ? isAllowed(new PathRule(pattern), path, access) : isReached(pattern, path, access),
    narrowest: narrowestRule(path, access),
  };
}

/** An allowed pattern means exactly what it says. */
function isAllowed(rule: PathRule, path: string, access: PathAccess): boolean {
  return access === 'read' || access === 'write' ? rule.fits(path) : rule.fitsAllBelow(path);
}

/** Other patterns mean whatever they could: also in other cases of letters, and for what is below a directory that they name. */
function isReached(pattern: string, path: string, access: PathAccess): boolean | undefined {
  const [rule, folded] = [new PathRule(fold(pattern)), fold(path)];
  if (rule.reaches(folded)) return true;
  return access === 'walk' && rule.mayFitBelow(folded) ? undefined : false;
}

function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

function narrowestRule(path: string, access: PathAccess): string | undefined {
  // They would mean something else in a pattern.
  if (/[*?[\]{}()!]/.test(path)) return undefined;
  if (access === 'list' || access === 'walk') return path === '/' ? '**' : `${path}/**`;
  return path;
}
