import { createHash } from 'node:crypto';

import type { JsonObject, JsonValue, Message, RunInfo, ToolCall } from '@shallot/core';

import { callHook, type HookPlace } from '../calling/call-hook.ts';
import type { Outcome } from '../calling/outcome.ts';
import type { Hook } from '../hook.ts';
import type { Modes } from '../words/modes.ts';
import type { ToolWords } from '../words/tool-words.ts';
import { transcriptLines, withTranscript } from '../words/transcript.ts';

/** Passes the events of runs to hooks. */
export class HookRuns {
  readonly words: ToolWords;
  readonly #place: HookPlace;
  readonly #modes: Modes;

  constructor(place: HookPlace, words: ToolWords, modes: Modes) {
    this.#place = place;
    this.words = words;
    this.#modes = modes;
  }

  /** Passes an event of a run to a hook. `more` are messages that the run does not have yet. */
  async call(
    hook: Hook,
    fields: JsonObject,
    run: RunInfo,
    signal: AbortSignal,
    more: readonly Message[] = [],
  ): Promise<Outcome> {
    const { sessionId, agent, parent } = run;
    const root = rootOf(run);
    const cwd = root ?? this.#place.directory;
    const eventAt = (transcript: string): JsonObject => ({
      session_id: sessionId,
      transcript_path: transcript,
      cwd,
      permission_mode: this.#modes.in(run),
      hook_event_name: hook.event,
      ...(parent === undefined ? {} : { agent_id: sessionId, agent_type: agent }),
      ...fields,
    });
    if (!hook.transcript) return callHook(hook, eventAt(''), this.#place, signal);
    const lines = transcriptLines([...run.messages, ...more], { sessionId, cwd, root, words: this.words });
    return withTranscript(lines, (path) => callHook(hook, eventAt(path), this.#place, signal));
  }

  /** Passes an input to a hook, before its run begins. */
  callOnInput(hook: Hook, prompt: string, sessionId: string, signal: AbortSignal): Promise<Outcome> {
    const event = {
      session_id: sessionId,
      transcript_path: '',
      cwd: this.#place.directory,
      permission_mode: this.#modes.before(sessionId),
      hook_event_name: hook.event,
      prompt,
    };
    return callHook(hook, event, this.#place, signal);
  }
}

/** Returns the directory of the run's files, if they are in one. */
export function rootOf({ files }: Pick<RunInfo, 'files'>): string | undefined {
  return files.root;
}

/** Returns a key under which a verdict about exactly this call is stored. */
export function keyOf(
  hook: Hook,
  { name, input }: Pick<ToolCall, 'name' | 'input'>,
  more: JsonValue = null,
): string {
  return `${hook.label}:${digestOf([name, input, more])}`;
}

export function digestOf(value: JsonValue): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url');
}
