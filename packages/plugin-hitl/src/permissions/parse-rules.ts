import {
  parsePermissionRule,
  type CallMatcher,
  type PermissionRule,
  type RuleList,
} from '@shallot/core/plugin';

import type { RuleSet } from './judge.ts';

/** Rules by list, as they are written. */
export type RuleTexts = Readonly<Partial<Record<RuleList, readonly string[] | undefined>>>;

/** Parses rules that were checked when they were read. Invalid ones are left out. */
export function parseRules({ deny = [], ask = [], allow = [] }: RuleTexts): RuleSet {
  const parsed = (texts: readonly string[], list: RuleList): readonly PermissionRule[] =>
    texts.flatMap((text) => {
      const read = parsePermissionRule(text, list);
      return 'rule' in read ? [read.rule] : [];
    });
  return { deny: parsed(deny, 'deny'), ask: parsed(ask, 'ask'), allow: parsed(allow, 'allow') };
}

/**
 * Returns the rules in the options of a plugin, in the form of the agent's permissions. They apply to the tools of
 * the plugin itself, even if another plugin uses such a name as a word of its rules. Rules that allow calls apply
 * only if the plugin may pre-approve calls.
 */
export function rulesOf(
  { own, tools }: Pick<CallMatcher, 'own' | 'tools'>,
  preApprovals: readonly string[],
): RuleSet {
  if (own === undefined) return parseRules({});
  const rules = (patterns: readonly string[]): readonly PermissionRule[] =>
    tools().flatMap((name) =>
      patterns.map((pattern) => ({ text: `${name}(${pattern})`, name, pattern, isOfTool: true as const })),
    );
  return {
    deny: rules(own.deny),
    ask: [],
    allow: preApprovals.includes(own.plugin) ? rules(own.allow) : [],
  };
}

/** Returns the rules of several sources together. */
export function joinRules(...sets: readonly RuleSet[]): RuleSet {
  const all = (list: RuleList): readonly PermissionRule[] => sets.flatMap((set) => set[list]);
  return { deny: all('deny'), ask: all('ask'), allow: all('allow') };
}
