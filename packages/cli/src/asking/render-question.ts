import type { Interrupt, JsonValue } from '@shallot/core';
import { visible, type ToolLocation, isJsonObject } from '@shallot/core/plugin';
import { approvalOf, type Approval } from '@shallot/core/work';

import { askedBy } from '../rendering/summarize.ts';
import { count } from '../terminal/count.ts';
import type { Paint } from '../terminal/screen.ts';
import { stillVisible, visibleLine } from '../terminal/visible.ts';

const maxLocations = 20;

/**
 * Renders a question in full: the plugin, the call with all its arguments, and the description. Hidden characters are
 * made visible.
 */
export function renderQuestion(interrupt: Interrupt, paint: Paint): string {
  const { id, kind, createdAt } = interrupt;
  const head = `${paint.bold(visible(kind))}  ${visible(id)}  ${paint.dim(visible(`${askedBy(interrupt)} at ${createdAt}`))}`;
  const approval = approvalOf(interrupt);
  const body = approval === undefined ? generic(interrupt, paint) : approvalLines(approval, paint);
  return [head, ...body].join('\n');
}

/** Renders JSON with hidden characters made visible. */
function showJson(value: JsonValue): string {
  return visible(JSON.stringify(value, null, 2));
}

function approvalLines(approval: Approval, paint: Paint): string[] {
  const { call, description, diff, changed } = approval;
  return [
    ...callLines(call, approval.arguments ?? showArguments(call.input), paint),
    ...outputLines(approval.output ?? showOutput(call.output), paint),
    ...(description === undefined ? [] : indent(stillVisible(description))),
    ...(changed === undefined ? [] : changedLines(changed, paint)),
    ...(diff === undefined ? [] : diffLines(diff, paint)),
  ];
}

function generic(interrupt: Interrupt, paint: Paint): string[] {
  const { call, plugin } = interrupt;
  const { message, rest } = split(interrupt);
  // A question that a tool asks itself explains the call in its message; for other questions, the call is shown in
  // full.
  const isToldInWords = plugin === 'tool' && message !== undefined;
  return [
    ...(message === undefined ? [] : indent(visible(message))),
    ...(call === undefined || isToldInWords ? [] : callLines(call, showArguments(call.input), paint)),
    ...outputLines(showOutput(call?.output), paint),
    ...(rest === undefined ? [] : indent(showJson(rest))),
  ];
}

/** Splits a payload into its message, and the members that neither the call nor the answer schema contain. */
function split({ payload, call, answerSchema }: Interrupt): {
  readonly message?: string;
  readonly rest?: JsonValue;
} {
  if (typeof payload === 'string') return { message: payload };
  if (!isJsonObject(payload)) return payload === null ? {} : { rest: payload };
  const { message, ...members } = payload;
  const told = (key: string, value: JsonValue): boolean =>
    (key === 'tool' && value === call?.name) ||
    (key === 'requestedSchema' && JSON.stringify(answerSchema).includes(JSON.stringify(value))) ||
    (key === 'input' && JSON.stringify(value) === JSON.stringify(call?.input));
  const entries = Object.entries(members).filter(([key, value]) => !told(key, value));
  if (typeof message !== 'string' && message !== undefined) entries.unshift(['message', message]);
  return {
    ...(typeof message === 'string' && { message }),
    ...(entries.length > 0 && { rest: Object.fromEntries(entries) }),
  };
}

function callLines(
  { name, title, locations = [] }: NonNullable<Interrupt['call']>,
  shown: string,
  paint: Paint,
): string[] {
  const what = title === undefined ? '' : `${visibleLine(title)} `;
  const known = title === undefined ? paint.bold(visible(name)) : paint.dim(`(${visible(name)})`);
  return [
    `  ${paint.cyan('→')} ${paint.bold(what)}${known}`,
    ...indent(stillVisible(shown), '    '),
    ...locationLines(locations).map((line) => paint.dim(line)),
  ];
}

/** Renders the locations of a call; only a few, so that they do not hide the rest. */
function locationLines(locations: readonly ToolLocation[]): string[] {
  const shown = locations.slice(0, maxLocations).map(({ path, line }) => {
    const place = line === undefined ? path : `${path}:${line}`;
    return `    touches ${visibleLine(place)}`;
  });
  const more = locations.length - shown.length;
  return more > 0 ? [...shown, `    touches ${count(more, 'more place')}`] : shown;
}

/** Renders the arguments as the tool's schema transformed them, because the call is executed with these. */
function outputLines(shown: string | undefined, paint: Paint): string[] {
  if (shown === undefined) return [];
  return [`  ${paint.yellow('executed with')}`, ...indent(stillVisible(shown), '    ')];
}

function showOutput(output: NonNullable<Interrupt['call']>['output']): string | undefined {
  if (output === undefined) return undefined;
  const { value, notJson = [] } = output;
  return [showArguments(value), ...notJson.map((each) => `(not JSON: ${visible(each)})`)].join('\n');
}

function changedLines(
  { by, tool, arguments: before }: NonNullable<Approval['changed']>,
  paint: Paint,
): string[] {
  return [
    `  ${paint.yellow(`changed by ${visible(by)}; it was`)} ${paint.bold(visible(tool))}`,
    ...indent(stillVisible(before), '    '),
  ];
}

/** Renders a unified diff, or the text in its place. */
function diffLines(diff: string, paint: Paint): string[] {
  let inHunk = false;
  return stillVisible(diff)
    .trimEnd()
    .split('\n')
    .map((text) => {
      const line = `  ${text}`;
      inHunk ||= text.startsWith('@@');
      if (!inHunk) return paint.bold(line);
      if (text.startsWith('+')) return paint.green(line);
      if (text.startsWith('-')) return paint.red(line);
      return text.startsWith('@@') ? paint.cyan(line) : line;
    });
}

function showArguments(input: JsonValue): string {
  return isJsonObject(input) && Object.keys(input).length === 0 ? '(no arguments)' : showJson(input);
}

function indent(text: string, by = '  '): string[] {
  return text.split('\n').map((line) => `${by}${line}`);
}
