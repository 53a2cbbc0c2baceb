import {
  coversPart,
  coversTouch,
  coversWhole,
  type PermissionMode,
  type PermissionRule,
  type ReadCall,
  type RuleList,
  type Touch,
} from '@shallot/core/plugin';

/** The rules by list. */
export type RuleSet = Readonly<Record<RuleList, readonly PermissionRule[]>>;

/** The verdict of the rules and the mode; `silent` if none of them covers the call. */
export interface Judgement {
  readonly is: RuleList | 'silent';
  readonly rules: readonly string[];
  /** The end of the sentence "it is asked about: …". */
  readonly because: string;
}

/**
 * Judges a call: `deny` and the mode `read-only` first, then unlocked files and `ask`, then `allow` and the mode `edits`. A
 * rule of doubtful meaning asks, and allows nothing.
 */
export function judge(call: ReadCall, rules: RuleSet, mode: PermissionMode): Judgement {
  const denied = firstRule(rules.deny, 'deny', call);
  if (denied?.isSure === true) return verdict('deny', denied.rule, 'denies it');
  if (mode === 'read-only' && !isRead(call))
    return { is: 'deny', rules: [], because: 'the mode is "read-only", and this is not known to be a read' };
  if (denied !== undefined) return verdict('ask', denied.rule, 'may deny it, which cannot be told');
  const opened = call.touches?.find(({ isUnlocked }) => isUnlocked === true);
  if (opened !== undefined)
    return { is: 'ask', rules: [], because: `only \`unlock\` opens ${opened.what} to tools` };
  const asked = firstRule(rules.ask, 'ask', call);
  if (asked !== undefined)
    return verdict('ask', asked.rule, asked.isSure ? 'asks about it' : 'may ask about it');
  return allowance(call, rules.allow, mode) ?? { is: 'silent', rules: [], because: 'no rule covers it' };
}

function verdict(is: RuleList, { text }: PermissionRule, says: string): Judgement {
  return { is, rules: [text], because: `the rule "${text}" ${says}` };
}

interface Found {
  readonly rule: PermissionRule;
  readonly isSure: boolean;
}

/**
 * Returns the first rule that surely covers a call or a part of it; otherwise the first that may; undefined if none does.
 */
function firstRule(rules: readonly PermissionRule[], list: RuleList, call: ReadCall): Found | undefined {
  let doubtful: PermissionRule | undefined;
  for (const rule of rules) {
    const covers = coversPart(rule, list, call);
    if (covers === true) return { rule, isSure: true };
    if (covers === undefined) doubtful ??= rule;
  }
  return doubtful && { rule: doubtful, isSure: false };
}

/** Returns true if a rule allows a part of a call. */
export function isPartAllowed(touch: Touch, allow: RuleSet['allow'], call: ReadCall): boolean {
  return allow.some((rule) => coversTouch(rule, 'allow', touch, call) === true);
}

/** Returns the reason to allow a call: one rule, or for each part of it a rule or the mode. Undefined if there is none. */
function allowance(
  call: ReadCall,
  rules: readonly PermissionRule[],
  mode: PermissionMode,
): Judgement | undefined {
  const whole = rules.find((rule) => coversWhole(rule, 'allow', call) === true);
  if (whole !== undefined) return verdict('allow', whole, 'allows it');
  const { touches = [] } = call;
  const found = touches.map((touch) =>
    rules.find((rule) => coversTouch(rule, 'allow', touch, call) === true),
  );
  const isFree = (touch: Touch | undefined): boolean =>
    mode === 'edits' && touch?.subject === 'edit' && touch.access === 'write';
  if (touches.length === 0 || found.some((rule, at) => rule === undefined && !isFree(touches[at])))
    return undefined;
  const texts = [...new Set(found.flatMap((rule) => (rule === undefined ? [] : [rule.text])))];
  const reasons = [
    ...(texts.length === 0 ? [] : [`${texts.map((text) => `"${text}"`).join(' and ')} allow it`]),
    ...(found.includes(undefined) ? ['the mode is "edits"'] : []),
  ];
  return { is: 'allow', rules: texts, because: reasons.join(', and ') };
}

function isRead({ touches = [] }: ReadCall): boolean {
  return touches.length > 0 && touches.every(({ access }) => access === 'read' || access === 'walk');
}
