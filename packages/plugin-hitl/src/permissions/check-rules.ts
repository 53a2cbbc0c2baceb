import { ShallotError } from '@shallot/core';
import {
  argumentPattern,
  checkToolPatterns,
  fitsPattern,
  nearest,
  type PermissionRule,
  type ReadyAgent,
  type ToolNaming,
} from '@shallot/core/plugin';

import { adviceFor, matchersOf } from './matchers-of.ts';

/**
 * Checks rules against the tools of the agent and their matchers. @throws `hitl/UNKNOWN_TOOL`, `hitl/PROVIDER_TOOL`,
 * `hitl/RULE_INVALID`
 */
export function checkRules(rules: readonly PermissionRule[], agent: ReadyAgent, naming: ToolNaming): void {
  const matchers = agent.matchers();
  for (const rule of rules) {
    const ofSubject = matchers.filter(({ subjects }) => subjects.includes(rule.name));
    if (ofSubject.length === 0) checkToolPatterns([rule.name], agent, naming);
    if (rule.pattern === undefined) continue;
    const advice = adviceFor(rule, matchers);
    if (advice !== undefined) throw invalid(rule, advice);
    if (rule.pattern !== '' && matchersOf(rule, matchers).length === 0)
      checkArgument(rule, rule.pattern, agent);
  }
}

function checkArgument(rule: PermissionRule, pattern: string, { tools }: ReadyAgent): void {
  const parts = argumentPattern(pattern);
  if (parts === undefined)
    throw invalid(
      rule,
      `rules for this tool are about an argument: write "${rule.name}(argument=${pattern})" with its name`,
    );
  const fitting = tools.filter(({ name }) => fitsPattern(rule.name, name));
  const known = fitting.flatMap(({ inputSchema }) => Object.keys(propertiesOf(inputSchema)));
  // Tools that are added later, and schemas with further members, may have the argument.
  const isOpen = fitting.length === 0 || fitting.some(({ inputSchema }) => mayHaveMore(inputSchema));
  const [outermost = ''] = parts.argument.split('.');
  if (isOpen || known.includes(parts.argument) || known.includes(outermost)) return;
  const near = nearest(parts.argument, known);
  const hint = near === undefined ? `it has ${known.join(', ') || 'none'}` : `did you mean "${near}"?`;
  throw invalid(rule, `no tool that it names has the argument "${parts.argument}"; ${hint}`);
}

function propertiesOf(schema: Readonly<Record<string, unknown>>): object {
  const { properties } = schema;
  return typeof properties === 'object' && properties !== null ? properties : {};
}

/** Returns whether a schema composes its members or names them by patterns, so that they are not listed in one place. */
function mayHaveMore(schema: Readonly<Record<string, unknown>>): boolean {
  return ['allOf', 'anyOf', 'oneOf', '$ref', 'patternProperties'].some((keyword) => keyword in schema);
}

function invalid({ text }: PermissionRule, advice: string): ShallotError {
  return new ShallotError('hitl/RULE_INVALID', {
    message: `The rule "${text}" of the permissions cannot be used: ${advice}.`,
  });
}
