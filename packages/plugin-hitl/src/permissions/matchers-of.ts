import { fitsPattern, type CallMatcher, type PermissionRule } from '@shallot/core/plugin';

/** Returns the matchers for the calls that a rule is about, found by one of their words or by the name of a tool. */
export function matchersOf(
  { name, isOfTool }: PermissionRule,
  matchers: readonly CallMatcher[],
): readonly CallMatcher[] {
  return matchers.filter(
    (matcher) =>
      (isOfTool !== true && matcher.subjects.includes(name)) ||
      matcher.tools().some((tool) => fitsPattern(name, tool)),
  );
}

/** Returns advice of the matchers against the pattern of a rule; undefined if it can be used. */
export function adviceFor(rule: PermissionRule, matchers: readonly CallMatcher[]): string | undefined {
  const { pattern } = rule;
  if (pattern === undefined) return undefined;
  const own = matchersOf(rule, matchers);
  if (pattern === '' && own.length > 0) return `write "${rule.name}" for calls with any arguments`;
  return own.map((matcher) => matcher.advise(pattern)).find((advice) => advice !== undefined);
}
