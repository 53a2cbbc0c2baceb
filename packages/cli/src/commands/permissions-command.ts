import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import type { JsonObject, Tool } from '@shallot/core';
import {
  reasonOf,
  visible,
  type PermissionEvaluator,
  type PermissionVerdict,
  isJsonObject,
} from '@shallot/core/plugin';

import type { AgentCommandOptions } from '../asking/config-loading.ts';
import { parseJson } from '../asking/parse-json.ts';
import { renderRules } from '../inspect/render-rules.ts';
import { toJson } from '../rendering/render-json.ts';
import { CommandFailure } from '../terminal/command-failure.ts';
import { exitStatus } from '../terminal/exit-status.ts';
import type { Paint, Screen } from '../terminal/screen.ts';
import { visibleJson, visibleLine } from '../terminal/visible.ts';
import { readMode } from '../work/choose-mode.ts';
import { takeOverRules } from '../work/take-over-rules.ts';
import { withAgent, type OpenedAgent } from '../work/with-agent.ts';

export interface ListPermissionsOptions extends AgentCommandOptions {
  readonly json?: boolean;
}

export interface TestPermissionsOptions extends ListPermissionsOptions {
  readonly mode?: string;
}

/**
 * `shallot permissions list`: prints the rules in force, in the order in which they are evaluated, and their sources.
 */
export async function listPermissionsCommand(options: ListPermissionsOptions, screen: Screen): Promise<void> {
  await withEvaluator(options, screen, async ({ permissions }) => {
    const rules = permissions.rules();
    if (options.json) return screen.line(toJson(rules, { indent: 2 }));
    if (rules.length === 0)
      return screen.note('There are no rules. Write them under "permissions" in the config.');
    return screen.line(renderRules(permissions));
  });
}

/** `shallot permissions import`: prints the rules of `.claude/settings.json` as they would stand in a config. */
export async function importPermissionsCommand(
  file: string | undefined,
  _options: { readonly debug?: boolean },
  screen: Screen,
): Promise<void> {
  const path = resolve(screen.io.cwd, file ?? join('.claude', 'settings.json'));
  const parsed = parseJson(readSettings(path));
  const permissions =
    'value' in parsed && isJsonObject(parsed.value) ? parsed.value['permissions'] : undefined;
  if (!isJsonObject(permissions))
    throw new CommandFailure(
      exitStatus.usage,
      `${visible(path)} has no rules: its "permissions" are missing.`,
    );
  const { lists, left } = takeOverRules(permissions);
  const named = (['allow', 'ask', 'deny'] as const).filter((list) => lists[list].length > 0);
  for (const { list, rule, why } of left)
    screen.note(`${screen.paintNotes.yellow('left out')} ${list} ${visibleLine(rule)}: ${why}`);
  if (named.length === 0) return screen.note('There is no rule to take over.');
  const lines = named.flatMap((list) => {
    const rules = lists[list].map((rule) => `    - ${visibleJson(JSON.stringify(rule))}`);
    return [`  ${list}:`].concat(rules);
  });
  await screen.line(['permissions:', ...lines].join('\n'));
}

function readSettings(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new CommandFailure(exitStatus.usage, `${visible(path)} cannot be read: ${reasonOf(error)}.`);
  }
}

/** `shallot permissions remove`: removes a rule that answers have kept for the project. */
export async function removePermissionCommand(
  rule: string,
  options: AgentCommandOptions,
  screen: Screen,
): Promise<void> {
  await withEvaluator(options, screen, async ({ permissions }) => {
    const known = permissions.rules().find((each) => each.rule === rule);
    if (await permissions.forget(rule))
      return screen.note(`Removed from ${visible(known?.from ?? '')}: ${visible(rule)}`);
    throw new CommandFailure(
      exitStatus.usage,
      known === undefined
        ? `There is no rule ${JSON.stringify(visible(rule))}. See them: shallot permissions list`
        : `The rule ${JSON.stringify(visible(rule))} was not kept by an answer. Remove it there: ${visible(known.from)}`,
    );
  });
}

/** `shallot permissions test`: prints the verdict on a call, and the rule that decides. Executes nothing. */
export async function testPermissionsCommand(
  call: string,
  argument: string | undefined,
  options: TestPermissionsOptions,
  screen: Screen,
): Promise<void> {
  const mode = options.mode === undefined ? undefined : readMode(options.mode);
  await withEvaluator(options, screen, async ({ permissions, agent }) => {
    const tools = agent.tools.list();
    const asked = argument === undefined ? lineOf(call, tools) : callOf(call, argument, tools);
    const verdict = await permissions.judge(asked, mode === undefined ? {} : { mode });
    await screen.line(
      options.json
        ? toJson({ ...asked, ...verdict }, { indent: 2 })
        : renderVerdict(asked.name, verdict, screen.paint),
    );
  });
}

async function withEvaluator(
  options: AgentCommandOptions,
  screen: Screen,
  use: (given: {
    readonly permissions: PermissionEvaluator;
    readonly agent: OpenedAgent['agent'];
  }) => Promise<void>,
): Promise<void> {
  await withAgent(options, { screen, signal: screen.broken, keepsSessions: false }, async ({ agent }) => {
    const { permissions } = agent;
    if (permissions !== undefined) return use({ permissions, agent });
    throw new CommandFailure(
      exitStatus.usage,
      'The agent has no plugin that evaluates permissions, so every call is executed. Add one: shallot add hitl',
    );
  });
}

interface AskedCall {
  readonly name: string;
  readonly input: JsonObject;
}

/**
 * Returns the call for a line without the name of a tool: the line is a command for the tool that executes commands.
 */
function lineOf(line: string, tools: readonly Tool[]): AskedCall {
  const shell = tools.find(({ kind }) => kind === 'execute');
  if (shell !== undefined) return { name: shell.name, input: inputOf(shell, line) };
  throw new CommandFailure(
    exitStatus.usage,
    `The agent has no tool for commands. Name a tool and its argument: shallot permissions test ${tools[0]?.name ?? 'TOOL'} '…'`,
  );
}

function callOf(name: string, argument: string, tools: readonly Tool[]): AskedCall {
  const tool = tools.find((each) => each.name === name);
  if (tool !== undefined) return { name, input: inputOf(tool, argument) };
  throw new CommandFailure(
    exitStatus.usage,
    `The agent has no tool ${JSON.stringify(name)}. The tools are ${tools.map((each) => each.name).join(', ') || 'none'}.`,
  );
}

/** Reads the arguments of a call: all of them as JSON, or the value of the first argument that the tool requires. */
function inputOf({ name, inputSchema }: Tool, text: string): JsonObject {
  const parsed = text.trimStart().startsWith('{') ? parseJson(text) : undefined;
  if (parsed !== undefined && 'value' in parsed && isJsonObject(parsed.value)) return parsed.value;
  const { required, properties } = inputSchema;
  const first: unknown = Array.isArray(required) ? required[0] : undefined;
  const key = typeof first === 'string' ? first : Object.keys(properties ?? {})[0];
  if (key !== undefined && parsed === undefined) return { [key]: text };
  throw new CommandFailure(
    exitStatus.usage,
    `Write the arguments of ${visible(name)} as a JSON object: '{ … }'.`,
  );
}

function renderVerdict(name: string, { is, because, touches }: PermissionVerdict, paint: Paint): string {
  const colour = { allow: paint.green, ask: paint.yellow, deny: paint.red }[is];
  const lines = touches?.map((touch) => `  ${visibleLine(touch)}`) ?? [];
  const head = `${colour(is)}  ${paint.bold(visible(name))}: ${visibleLine(because)}`;
  return [head, ...lines.map((line) => paint.dim(line))].join('\n');
}
