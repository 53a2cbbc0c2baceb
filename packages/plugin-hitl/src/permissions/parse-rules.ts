import { parsePermissionRule, type PermissionRule, type RuleList } from '@shallot/core/plugin';

import type { RuleSet } from './judge.ts';

/** Rules by list, as they are written. */
export type RuleTexts = Readonly<Partial<Record<RuleList, readonly string[] | undefined>>>;

/** Parses rules that were checked where they were read. A text that is none is left out. */
export function parseRules({ deny = [], ask = [], allow = [] }: RuleTexts): RuleSet {
  const parsed = (texts: readonly string[]): readonly PermissionRule[] =>
    texts.flatMap((text) => {
      const read = parsePermissionRule(text);
      return 'rule' in read ? [read.rule] : [];
    });
  return { deny: parsed(deny), ask: parsed(ask), allow: parsed(allow) };
}

/** Returns the rules of several sources together. */
export function joinRules(...sets: readonly RuleSet[]): RuleSet {
  const all = (list: RuleList): readonly PermissionRule[] => sets.flatMap((set) => set[list]);
  return { deny: all('deny'), ask: all('ask'), allow: all('allow') };
}
