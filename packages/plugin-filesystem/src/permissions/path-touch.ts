import type { Touch } from '@shallot/core/plugin';

import { PathRule } from './path-rule.ts';

/** An access to a path: `list` reads the names of a directory, `walk` everything below it. */
export type PathAccess = 'read' | 'write' | 'list' | 'walk';

/**
 * Returns an access to a path in the form in which rules judge it. Links in the path are not followed; the caller
 * also passes the path to which they lead.
 */
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

/** Returns whether an allowing pattern covers an access. It covers exactly the paths that it fits. */
function isAllowed(rule: PathRule, path: string, access: PathAccess): boolean {
  return access === 'read' || access === 'write' ? rule.fits(path) : rule.fitsAllBelow(path);
}

/**
 * Returns whether a pattern that asks or denies covers an access; undefined if it may. It covers whatever it could
 * mean: names in other letter cases, and everything below a directory that it names.
 */
function isReached(pattern: string, path: string, access: PathAccess): boolean | undefined {
  const [rule, folded] = [new PathRule(fold(pattern)), fold(path)];
  if (rule.reaches(folded)) return true;
  return access === 'walk' && rule.mayFitBelow(folded) ? undefined : false;
}

function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

function narrowestRule(path: string, access: PathAccess): string | undefined {
  // These characters would have a special meaning in a pattern.
  if (/[*?[\]{}()!]/.test(path)) return undefined;
  if (access === 'list' || access === 'walk') return path === '/' ? '**' : `${path}/**`;
  return path;
}
