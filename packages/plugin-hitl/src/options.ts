import type { JsonSchema, PluginDefinition, RunInfo, ToolCall } from '@shallot/core';

import type { ApprovalRequest } from './approval-request.ts';
import { decisionKinds, type Decision, type DecisionKind } from './decision.ts';

export interface HitlOptions {
  /**
   * Which calls a person is asked about, by the tool's name: `true`, `false`, or more exactly. A `*` in a name stands for
   * any letters; the most exact name decides. Default: `{ '*': true }`.
   */
  readonly tools?: Readonly<Record<string, boolean | ToolPolicy>>;
  /**
   * How to ask: `interrupt` pauses the run until it is resumed with an answer, `deny` asks nobody and denies, a function
   * asks in this process. Default: `interrupt`.
   */
  readonly ask?: 'interrupt' | 'deny' | Ask;
  /** How long a function may take to answer; the call is denied then. Default: 300,000. */
  readonly askTimeoutMs?: number;
}

/** Asks a person, in this process. Whatever is not a decision that was offered denies the call. */
export type Ask = (
  request: ApprovalRequest & { readonly call: ToolCall },
  context: { readonly run: RunInfo; readonly signal: AbortSignal },
) => Decision | Promise<Decision>;

/** How calls of one tool, or of those that fit a pattern, are asked about. */
export interface ToolPolicy {
  /** What may be answered. Default: all four. */
  readonly decisions?: readonly DecisionKind[];
  /** Whether to ask about this call; only `false` lets it pass unasked. In code only. */
  readonly when?: (call: ToolCall, run: RunInfo) => boolean | Promise<boolean>;
  /** What to say about this call, beside its arguments. In code only. */
  readonly describe?: (call: ToolCall, run: RunInfo) => string | Promise<string>;
}

/** A policy with its defaults. */
export interface Rule extends ToolPolicy {
  readonly decisions: readonly DecisionKind[];
}

/** The options as the plugin works with them. */
export interface Policy {
  readonly ask: 'interrupt' | 'deny' | Ask;
  readonly askTimeoutMs: number;
  /** Name or pattern → a rule, or undefined for "not asked about". */
  readonly tools: ReadonlyMap<string, Rule | undefined>;
}

const defaults = Object.freeze({
  tools: { '*': true },
  ask: 'interrupt' as const,
  askTimeoutMs: 300_000,
});

/** A callback that may wait for longer should be an interrupt. */
const maxTimeoutMs = 86_400_000;

const toolSchema: JsonSchema = {
  anyOf: [
    { type: 'boolean' },
    {
      type: 'object',
      properties: {
        decisions: { type: 'array', items: { enum: decisionKinds }, minItems: 1, uniqueItems: true },
      },
      additionalProperties: false,
    },
  ],
};

/** What a config file can say. */
const configSchema: JsonSchema = {
  type: 'object',
  properties: {
    tools: { type: 'object', additionalProperties: toolSchema },
    ask: { enum: ['interrupt', 'deny'] },
    askTimeoutMs: { type: 'number', exclusiveMinimum: 0, maximum: maxTimeoutMs },
  },
  additionalProperties: false,
};

const standard = {
  version: 1 as const,
  vendor: 'shallot-hitl',
  validate(value: unknown) {
    const issues: Issue[] = [];
    const policy = readOptions(value, (message, ...path) => issues.push({ message, path }));
    return issues.length > 0 ? { issues } : { value: policy };
  },
  jsonSchema: { input: () => ({ ...configSchema }), output: () => ({ ...configSchema }) },
};

/** The options' schema; also as JSON Schema, for what a config file can hold. */
export const optionsSchema: NonNullable<PluginDefinition<Policy, HitlOptions>['options']> = {
  '~standard': standard,
};

interface Issue {
  readonly message: string;
  readonly path: readonly string[];
}

type Report = (message: string, ...path: readonly string[]) => void;

function readOptions(value: unknown, report: Report): Policy {
  const options = readObject(value, ['tools', 'ask', 'askTimeoutMs'], report);
  const { tools = defaults.tools, ask = defaults.ask, askTimeoutMs = defaults.askTimeoutMs } = options;
  if (ask !== 'interrupt' && ask !== 'deny' && typeof ask !== 'function') {
    report(`${show(ask)} is no way to ask; write "interrupt", "deny", or in code a function`, 'ask');
  }
  if (typeof askTimeoutMs !== 'number' || !(askTimeoutMs > 0 && askTimeoutMs <= maxTimeoutMs)) {
    report(`it is ${show(askTimeoutMs)}; write milliseconds, at most ${maxTimeoutMs}`, 'askTimeoutMs');
  }
  return {
    // Both were checked above; with an issue nothing is made of them.
    ask: ask as Policy['ask'],
    askTimeoutMs: askTimeoutMs as number,
    tools: readTools(tools, report),
  };
}

function readTools(tools: unknown, report: Report): Policy['tools'] {
  const rules = new Map<string, Rule | undefined>();
  if (typeof tools !== 'object' || tools === null || Array.isArray(tools)) {
    report(`it is ${show(tools)}; write tool names with true, false or a policy each`, 'tools');
    return rules;
  }
  for (const [name, policy] of Object.entries(tools)) {
    if (policy === false) rules.set(name, undefined);
    else if (policy === true) rules.set(name, { decisions: decisionKinds });
    else
      rules.set(
        name,
        readPolicy(policy, (message, ...path) => report(message, 'tools', name, ...path)),
      );
  }
  return rules;
}

function readPolicy(value: unknown, report: Report): Rule {
  const policy = readObject(value, ['decisions', 'when', 'describe'], report);
  const { decisions = decisionKinds } = policy;
  for (const key of ['when', 'describe'] as const) {
    if (policy[key] !== undefined && typeof policy[key] !== 'function')
      report('it must be a function, in code', key);
  }
  if (!Array.isArray(decisions) || decisions.length === 0) {
    report(`it is ${show(decisions)}; name at least one of ${decisionKinds.join(', ')}`, 'decisions');
  } else {
    const unknown: unknown = decisions.find((each: DecisionKind) => !decisionKinds.includes(each));
    if (unknown !== undefined)
      report(`there is no decision ${show(unknown)}; known are ${decisionKinds.join(', ')}`, 'decisions');
  }
  // Checked above; with an issue nothing is made of it.
  return { ...policy, decisions } as Rule;
}

function readObject(
  value: unknown,
  keys: readonly string[],
  report: Report,
): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    report(`it is ${show(value)}; write an object with ${keys.join(', ')}`);
    return {};
  }
  for (const key of Object.keys(value)) {
    if (!keys.includes(key)) report(`there is no such option; known are ${keys.join(', ')}`, key);
  }
  return value as Readonly<Record<string, unknown>>;
}

function show(value: unknown): string {
  return typeof value === 'function' ? 'a function' : (JSON.stringify(value) ?? String(value)).slice(0, 80);
}
