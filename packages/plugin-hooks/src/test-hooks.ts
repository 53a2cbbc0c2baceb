import { resolve } from 'node:path';

import { ShallotError, type JsonObject, type JsonValue } from '@shallot/core';

import { callHook, type HookPlace } from './calling/call-hook.ts';
import type { Outcome } from './calling/outcome.ts';
import { hookEvents, type HookEvent } from './events.ts';
import type { Hook } from './hook.ts';
import { hooksOf } from './hooks.ts';
import { hooksOptions } from './options.ts';
import { readSaid } from './places/said.ts';
import { verdictOf } from './places/through-hook.ts';
import { mayBeAbout } from './words/calls.ts';

/** The outcome of a hook for an event, and its meaning. */
export interface HookTest {
  /** The event, and the command or URL. */
  readonly hook: string;
  /**
   * The decision that a run would get: `allow`, `deny`, `ask`, `block`, `pass`, `fail` for a hook that failed, or `skip` for one that
   * is not called, because its `match` is about other tools or the event names none.
   */
  readonly verdict: 'allow' | 'deny' | 'ask' | 'block' | 'pass' | 'fail' | 'skip';
  readonly reason: string | undefined;
  /** Undefined if the hook was not called. */
  readonly outcome: Outcome | undefined;
}

/**
 * Passes an event to the hooks in the options of a config, without an agent. Only the tool name of a `match` counts,
 * not its pattern. `input` has the members of the event beyond the usual ones. Default: those of a sample. @throws
 * `hooks/EVENT_UNKNOWN`, `OPTION_INVALID`
 */
export async function testHooks(
  event: string,
  options: unknown,
  { directory, env }: Pick<HookPlace, 'directory' | 'env'>,
  input?: JsonObject,
): Promise<readonly HookTest[]> {
  const known = hookEvents.find((each) => each === event);
  if (known === undefined)
    throw new ShallotError('hooks/EVENT_UNKNOWN', {
      message: `There is no event ${JSON.stringify(event)}. The events are ${hookEvents.join(', ')}.`,
      plugin: 'hooks',
    });
  const checked = await hooksOptions['~standard'].validate(options);
  if (checked.issues !== undefined)
    throw new ShallotError('OPTION_INVALID', {
      message: `The options of hooks are not valid: ${checked.issues.map(({ message, path = [] }) => `${path.map(String).join('.')}: ${message}`).join('; ')}`,
      plugin: 'hooks',
    });
  const place = { directory: resolve(directory), env, names: checked.value.env };
  const tests: HookTest[] = [];
  for (const hook of hooksOf(checked.value).filter((each) => each.event === known)) {
    const sent = { ...usualMembers(known, place.directory), ...(input ?? samples[known]) };
    const why = whySkipped(hook, sent['tool_name'], checked.value.names);
    if (why !== undefined) {
      tests.push({ hook: hook.label, verdict: 'skip', reason: why, outcome: undefined });
      continue;
    }
    const outcome = await callHook(hook, sent, place, AbortSignal.timeout(hook.timeoutMs + 5000));
    tests.push({ hook: hook.label, outcome, ...meaningOf(known, hook, outcome) });
  }
  return tests;
}

function whySkipped(
  hook: Hook,
  tool: JsonValue | undefined,
  names: Readonly<Record<string, string>>,
): string | undefined {
  if (hook.rules === undefined) return undefined;
  if (typeof tool !== 'string') return 'it has a match, and the event has no tool_name';
  const texts = [...new Set(hook.rules.map(({ text }) => text))];
  return mayBeAbout(hook, tool, names) ? undefined : `it is about ${texts.join(', ')}, not about ${tool}`;
}

function meaningOf(event: HookEvent, hook: Hook, outcome: Outcome): Pick<HookTest, 'verdict' | 'reason'> {
  if (outcome.is === 'failed')
    return { verdict: 'fail', reason: `${outcome.reason} (onFailure: ${hook.onFailure})` };
  if (event === 'PreToolUse') {
    const { is, reason } = verdictOf(hook, outcome);
    return { verdict: is, reason: is === 'pass' ? undefined : reason };
  }
  const { blocks, ends } = readSaid(hook, outcome);
  const why = blocks ?? (ends === undefined ? undefined : (ends.reason ?? 'it gave no reason'));
  return { verdict: why === undefined ? 'pass' : 'block', reason: why };
}

function usualMembers(event: HookEvent, cwd: string): JsonObject {
  return {
    session_id: 'sample',
    transcript_path: '',
    cwd,
    permission_mode: 'default',
    hook_event_name: event,
  };
}

const call = { tool_name: 'Bash', tool_input: { command: 'rm -rf /' }, tool_use_id: 'call_sample' };

/** Example members of each event, for trying out hooks. */
const samples: Readonly<Record<HookEvent, JsonObject>> = {
  PreToolUse: call,
  PostToolUse: {
    ...call,
    tool_response: { stdout: 'Done.', stderr: '', interrupted: false, isImage: false },
  },
  PostToolUseFailure: { ...call, error: 'Permission denied', is_interrupt: false },
  UserPromptSubmit: { prompt: 'What is in this project?' },
  Stop: { stop_hook_active: false, last_assistant_message: 'It is done.' },
  SessionStart: { source: 'startup' },
  SubagentStart: { agent_id: 'sample', agent_type: 'general' },
  SubagentStop: {
    agent_id: 'sample',
    agent_type: 'general',
    stop_hook_active: false,
    last_assistant_message: 'It is done.',
  },
  PreCompact: { trigger: 'auto', custom_instructions: '' },
};
