import type { ReadCall } from '@shallot/core/plugin';

import { isPartAllowed, type RuleSet } from './judge.ts';

/** The longest rule to propose, since nobody would read a longer one. */
const maxLength = 200;

/**
 * Returns the narrowest single rule that allows the parts of a call that no rule allows yet; undefined if there is none, or
 * it is too long to be read.
 */
export function proposeRule(call: ReadCall, { allow }: RuleSet): string | undefined {
  const rule = call.subjects.length === 0 ? byArgument(call) : byTouch(call, allow);
  return rule === undefined || rule.length > maxLength ? undefined : rule;
}

function byTouch(call: ReadCall, allow: RuleSet['allow']): string | undefined {
  const open = (call.touches ?? []).filter((touch) => !isPartAllowed(touch, allow, call));
  const rules = new Set(
    open.map(({ subject, narrowest }) => (narrowest === undefined ? undefined : `${subject}(${narrowest})`)),
  );
  const [rule] = rules;
  return rules.size === 1 ? rule : undefined;
}

/**
 * Proposes a rule for a tool without a matcher. Such a rule is about one argument, so there is none for calls with
 * several.
 */
function byArgument({ tool, input }: ReadCall): string | undefined {
  if (typeof input !== 'object' || input === null) return undefined;
  const [first, ...others] = Object.entries(input);
  if (first === undefined) return `${tool}()`;
  const [name, value]: readonly [string, unknown] = first;
  const isPlain = typeof value === 'boolean' || typeof value === 'number' || typeof value === 'string';
  if (!isPlain || others.length > 0 || /[*()\n\t]/.test(String(value)) || !/^[\w.-]+$/.test(name))
    return undefined;
  return `${tool}(${name}=${value})`;
}
