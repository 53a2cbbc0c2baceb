import { fitsPattern, type CallMatcher, type PermissionRule, type RuleDoubt } from '@shallot/core/plugin';

import { isWithin } from './is-within.ts';
import type { RuleSet } from './judge.ts';
import { matchersOf } from './matchers-of.ts';

/** The parts of an agent that decide whether a rule is doubtful. */
interface Surroundings {
  readonly tools: readonly string[];
  readonly matchers: readonly CallMatcher[];
}

/** Returns rules that never decide, and rules in `allow` that are wider than they look. */
export function findDoubts(rules: RuleSet, surroundings: Surroundings): readonly RuleDoubt[] {
  const doubts = (['deny', 'ask', 'allow'] as const).flatMap((list) =>
    rules[list].map((rule) => ({ list, rule, why: whyUnused(rule, rulesBefore(rules, list), surroundings) })),
  );
  return [
    ...doubts.flatMap(({ list, rule: { text }, why }) =>
      why === undefined ? [] : [{ kind: 'unused' as const, list, rule: text, why }],
    ),
    ...rules.allow.flatMap((rule) => {
      const why = whyWide(rule, surroundings);
      return why === undefined
        ? []
        : [{ kind: 'wide' as const, list: 'allow' as const, rule: rule.text, why }];
    }),
  ];
}

function rulesBefore({ deny, ask }: RuleSet, list: 'deny' | 'ask' | 'allow'): readonly PermissionRule[] {
  return list === 'deny' ? [] : list === 'ask' ? deny : [...deny, ...ask];
}

function whyUnused(
  rule: PermissionRule,
  before: readonly PermissionRule[],
  { tools, matchers }: Surroundings,
): string | undefined {
  const isKnown =
    tools.some((tool) => fitsPattern(rule.name, tool)) ||
    matchers.some(({ subjects }) => subjects.includes(rule.name));
  if (!isKnown) return 'no tool of the agent has a name that it fits';
  const stronger = before.find((each) => isWithin(rule, each, matchers));
  return stronger && `the rule "${stronger.text}" comes before it, and covers the same calls`;
}

function whyWide(rule: PermissionRule, { tools, matchers }: Surroundings): string | undefined {
  if (rule.pattern !== undefined) {
    const { pattern } = rule;
    return matchersOf(rule, matchers)
      .map((matcher) => matcher.opens?.(pattern))
      .find((why) => why !== undefined);
  }
  if (!rule.name.includes('*')) return undefined;
  const own = tools.filter((tool) => fitsPattern(rule.name, tool));
  return `it allows any call of ${own.join(', ')}, and of tools that are added later`;
}
