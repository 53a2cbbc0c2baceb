import {
  option,
  optionsSchema,
  parsePermissionRule,
  type Option,
  type PermissionRule,
  type Report,
  type ShapeOutput,
  type StandardSchemaWithJson,
} from '@shallot/core/plugin';

import { hookEvents, placelessEvents, toolEvents, type HookEvent } from './events.ts';
import type { Hook, OnFailure } from './hook.ts';

/** A hook: a command or a URL. */
export interface HookOptions {
  /**
   * For events about a tool: patterns as in permissions, with names of the tools here or in Claude Code: `Bash`,
   * `shell(git push*)`, `Edit|Write`, `mcp__github__*`. Default: all calls.
   */
  readonly match?: string | readonly string[];
  /** A line for the shell, which gets the event as JSON on stdin. */
  readonly command?: string;
  /** An address that gets the event by POST. Redirects are not followed. */
  readonly url?: string;
  /** Headers of the request. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The time limit in milliseconds. Default: 60,000; 25,000 for `UserPromptSubmit`, which allows no more. */
  readonly timeoutMs?: number;
  /**
   * When the hook fails: `pass` continues as if the hook had no output, `stop` stops what the event is about, `ask`
   * asks a person (`PreToolUse` only). Default: `pass`.
   */
  readonly onFailure?: OnFailure;
  /** Writes the conversation to a file for the hook, and passes its path as `transcript_path`. Default: false. */
  readonly transcript?: boolean;
}

/** Options of the plugin. */
export interface HooksOptions {
  /** The hooks by event, each list in its order. Default: none. */
  readonly events?: Readonly<Partial<Record<HookEvent, readonly HookOptions[]>>> &
    Readonly<Record<string, unknown>>;
  /**
   * Names of environment variables that commands see, besides `PATH`, `HOME` and others that hold no secrets; a `*` matches
   * any characters. Default: none.
   */
  readonly env?: readonly string[];
  /** The format's names for tools, by their names here: `{ sh: Bash }`. Default: none beyond the built-in ones. */
  readonly names?: Readonly<Record<string, string>>;
}

const defaultTimeoutMs = 60_000;
/** The agent ends checks of input after its `hookTimeoutMs`, by default 30 seconds, so a hook must time out earlier. */
const promptTimeoutMs = 25_000;

const hook = option
  .object({
    match: option
      .either(option.text(), option.list(option.text(), { min: 1 }))
      .describe('Patterns of calls, as in permissions. Default: all.'),
    command: option.text('a command line', /\S/).describe('A line for the shell.'),
    url: option
      .text('a URL that begins with https:// or http://', /^https?:\/\//)
      .describe('Gets the event by POST.'),
    headers: option.headers().default({}).describe('Headers of the request.'),
    timeoutMs: option
      .integer({ min: 1, max: 600_000 })
      .describe('Time limit in milliseconds. Default: 60,000.'),
    onFailure: option
      .oneOf<OnFailure>('pass', 'stop', 'ask')
      .default('pass')
      .describe('When the hook fails.'),
    transcript: option.boolean().default(false).describe('Writes the conversation to a file for the hook.'),
  })
  .map((given, report) => {
    if ((given.command === undefined) === (given.url === undefined))
      report('it has both or neither of command and url; write one of them');
    return given;
  });

const meanings: Readonly<Record<HookEvent, string>> = {
  PreToolUse: 'Before a tool call is executed.',
  PostToolUse: 'After a call that succeeded.',
  PostToolUseFailure: 'After a call that failed.',
  UserPromptSubmit: 'Before an input or a sent message is stored.',
  Stop: 'When the model has answered.',
  SessionStart: 'In the first run of a session.',
  SubagentStart: 'When a child run begins.',
  SubagentStop: 'When the model of a child run has answered.',
  PreCompact: 'Before a summary is written.',
};

const lists = Object.fromEntries(hookEvents.map((event) => [event, listOf(event)])) as Readonly<
  Record<HookEvent, ReturnType<typeof listOf>>
>;

const shape = {
  events: option
    .object({
      ...lists,
      ...Object.fromEntries(
        Object.keys(placelessEvents).map((event) => [
          event,
          option.anything().describe('Has no place here: its hooks are never called.'),
        ]),
      ),
    })
    .default({})
    .describe('The hooks by event, such as PreToolUse.'),
  env: option
    .list(option.text('the name of a variable, in which * stands for any characters', /^[\w*]+$/))
    .default([])
    .describe('Names of further variables that commands see.'),
  names: option.record(option.text()).default({}).describe('Names of tools in the words of the scripts.'),
};

/** The options with defaults. */
export type Settings = ShapeOutput<typeof shape>;

/** The schema of the options, which is also available as JSON Schema for config files. */
export const hooksOptions: StandardSchemaWithJson<HooksOptions, Settings> = optionsSchema(shape);

type GivenHook = Parameters<Parameters<typeof hook.map>[0]>[0];

function listOf(event: HookEvent): Option<readonly Hook[], readonly HookOptions[]> {
  return option
    .list(hook)
    .map((list, report) =>
      list.map((each, index) => readHook(event, each, (message, ...path) => report(message, index, ...path))),
    )
    .describe(meanings[event]);
}

function readHook(
  event: HookEvent,
  { match, command, url, headers, timeoutMs, onFailure, transcript }: GivenHook,
  report: Report,
): Hook {
  const isPrompt = event === 'UserPromptSubmit';
  if (onFailure === 'ask' && event !== 'PreToolUse')
    report('it is "ask", and only PreToolUse can ask; write pass or stop', 'onFailure');
  if (onFailure === 'stop' && event === 'PreCompact')
    report('it is "stop", and PreCompact only observes; write pass', 'onFailure');
  if (isPrompt && (timeoutMs ?? 0) > promptTimeoutMs)
    report(
      `it is ${timeoutMs}; write at most ${promptTimeoutMs}, since an input is checked before its run begins`,
      'timeoutMs',
    );
  if (isPrompt && transcript)
    report('it is true, and an input is checked before its run begins; leave it out', 'transcript');
  if (match !== undefined && !toolEvents.has(event))
    report(`it is there, and ${event} is about no tool; leave it out`, 'match');
  return {
    event,
    label: labelOf(event, command ?? url ?? ''),
    does: command === undefined ? { url: url ?? '', headers } : { command },
    rules: match === undefined ? undefined : rulesOf([match].flat(), report),
    timeoutMs: timeoutMs ?? (isPrompt ? promptTimeoutMs : defaultTimeoutMs),
    onFailure,
    transcript,
  };
}

function labelOf(event: HookEvent, does: string): string {
  const short = does.replaceAll(/\s+/g, ' ').trim();
  return `${event} ${short.length > 60 ? `${short.slice(0, 59)}…` : short}`;
}

/** Returns the rules of patterns; undefined if they are about all calls. Reports those that are not valid. */
function rulesOf(patterns: readonly string[], report: Report): readonly PermissionRule[] | undefined {
  const texts = patterns.flatMap((pattern) => pattern.split(/\|(?![^(]*\))/)).map((text) => text.trim());
  if (texts.some((text) => text === '*' || text === '')) return undefined;
  return texts.flatMap((text) => {
    const parsed = parsePermissionRule(text, 'ask');
    if ('advice' in parsed) {
      report(`"${text}" is no pattern of permissions: ${parsed.advice}`, 'match');
      return [];
    }
    return [parsed.rule];
  });
}
