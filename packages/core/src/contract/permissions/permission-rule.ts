import { replaceHidden } from '../visible.ts';
import type { RuleList } from './permissions.ts';

/** A rule of a list of permissions: the name of a tool or of a kind of access, and a pattern for its arguments. */
export interface PermissionRule {
  readonly text: string;
  /** The name of a tool, in which `*` stands for any characters, or a word of a matcher such as `edit`. */
  readonly name: string;
  /** Undefined: any arguments. Empty: none. */
  readonly pattern: string | undefined;
  /** True if the name always means a tool, even if a matcher has the same word. */
  readonly isOfTool?: true;
}

const form = /^(?<name>[\w*-]+)(?:\((?<pattern>.*)\))?$/s;

/**
 * Parses a rule of a list. Returns advice if the text is not a rule. Only in `allow`, which is the default, a rule may be
 * about calls without arguments: elsewhere, `()` may have been meant for all calls.
 */
export function parsePermissionRule(
  text: string,
  list: RuleList = 'allow',
): { readonly rule: PermissionRule } | { readonly advice: string } {
  if (replaceHidden(text, () => '\u0000').includes('\u0000') || /[\n\t]/.test(text))
    return { advice: 'write it without hidden characters and line feeds' };
  const { name, pattern } = form.exec(text)?.groups ?? {};
  if (name === undefined || !isBalanced(pattern ?? ''))
    return { advice: 'write a tool and a pattern of its argument, such as "edit(src/**)", or a tool alone' };
  if (pattern?.trim() === '' && list !== 'allow')
    return { advice: `write "${name}" for calls with any arguments` };
  return { rule: Object.freeze({ text, name, pattern: pattern?.trim() }) };
}

function isBalanced(pattern: string): boolean {
  let depth = 0;
  for (const character of pattern) {
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (depth < 0) return false;
  }
  return depth === 0;
}
