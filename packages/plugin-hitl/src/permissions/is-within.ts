import { argumentPattern, fitsPattern, type CallMatcher, type PermissionRule } from '@shallot/core/plugin';

import { matchersOf } from './matchers-of.ts';

/** Returns true if everything that a rule allows is surely allowed by another one, as the matchers of their tools read them. */
export function isWithin(
  rule: PermissionRule,
  wider: PermissionRule,
  matchers: readonly CallMatcher[],
): boolean {
  if (!isNameWithin(rule, wider, matchers)) return false;
  if (wider.pattern === undefined || rule.pattern === wider.pattern) return true;
  if (rule.pattern === undefined) return false;
  const { pattern } = rule;
  const own = matchersOf(rule, matchers);
  if (own.length === 0) return isArgumentWithin(pattern, wider.pattern);
  return own.every(({ within }) => within?.(pattern, wider.pattern ?? '') === true);
}

function isNameWithin(
  { name, isOfTool }: PermissionRule,
  wider: PermissionRule,
  matchers: readonly CallMatcher[],
): boolean {
  const ofSubject = isOfTool === true ? [] : matchers.filter(({ subjects }) => subjects.includes(name));
  if (ofSubject.length > 0) {
    if (name === wider.name && wider.isOfTool !== true) return true;
    // A word stands for all tools of its matchers, also for those that are added later.
    return wider.name === '*' || ofSubject.every((matcher) => isForAll(wider.name, matcher));
  }
  return fitsPattern(wider.name, name);
}

function isForAll(name: string, matcher: CallMatcher): boolean {
  return matcher.tools().every((tool) => fitsPattern(name, tool));
}

/**
 * Returns whether one pattern of an argument is within another. A star of the narrower pattern is compared like a
 * character, which only a star of the wider one fits.
 */
function isArgumentWithin(pattern: string, wider: string): boolean {
  const [own, other] = [argumentPattern(pattern), argumentPattern(wider)];
  return (
    own !== undefined &&
    other !== undefined &&
    own.argument === other.argument &&
    fitsPattern(other.value, own.value)
  );
}
