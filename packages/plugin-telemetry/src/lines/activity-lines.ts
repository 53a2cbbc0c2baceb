import { isShallotError, type JsonValue, type ToolResult } from '@shallot/core';
import { responseFacts } from '@shallot/core/model';
import { costOf, GrowingMessages, isJsonObject, messageOf, type Prices } from '@shallot/core/plugin';

import type { Activity, ModelActivity, Note, RunActivity } from '../observe/activity.ts';
import {
  traceVersion,
  type TraceEnd,
  type TraceError,
  type TraceHeader,
  type TraceNote,
  type TraceStart,
} from './trace-line.ts';

/** Makes the lines of a trace file about the activities of one run. */
export interface ActivityLines {
  header(): TraceHeader;
  start(activity: Activity): TraceStart;
  note(activity: Activity, note: Note, at: number): TraceNote;
  end(activity: Activity): TraceEnd;
}

export interface ActivityLinesOptions {
  readonly content: boolean;
  readonly prices: Prices | undefined;
}

export function activityLines(run: RunActivity, { content, prices }: ActivityLinesOptions): ActivityLines {
  const asked = content ? newIn() : () => ({});

  return {
    header: () => ({
      type: 'trace',
      version: traceVersion,
      runId: run.info.id,
      sessionId: run.info.sessionId,
      agent: run.info.agent,
      resumed: run.info.resumed,
      ...parentOf(run),
      at: run.startedAt,
    }),
    start: (activity) => ({
      type: 'start',
      id: activity.id,
      ...(activity.parent !== undefined && { parent: activity.parent.id }),
      kind: activity.kind,
      at: activity.startedAt,
      ...(activity.span !== undefined && { span: activity.span }),
      ...beginning(activity),
      ...(content && activity.kind === 'tool' && { input: activity.call.input }),
      ...(activity.kind === 'model' && asked(activity)),
    }),
    note: ({ id }, note, at) => ({
      type: 'note',
      id,
      at,
      note: note.type,
      ...(note.type === 'interrupt' && question(note)),
    }),
    end: (activity) => ({
      type: 'end',
      id: activity.id,
      at: activity.endedAt ?? activity.startedAt,
      ...(activity.failure !== undefined && { error: errorOf(activity.failure) }),
      ...ending(activity, prices),
      ...(content && contentAtEnd(activity)),
    }),
  };
}

function parentOf({ info: { parent } }: RunActivity): Pick<TraceHeader, 'parent'> {
  return parent === undefined ? {} : { parent: { runId: parent.runId, callId: parent.callId } };
}

function beginning(activity: Activity): Partial<TraceStart> {
  switch (activity.kind) {
    case 'run':
      return activity.info.parent === undefined ? {} : { agent: activity.info.agent };
    case 'step':
      return { step: activity.step };
    case 'model': {
      const { request, attempt, origin, streams, compacted } = activity;
      return {
        model: request.model.id,
        attempt,
        streams,
        messages: request.messages.length,
        tools: request.tools?.length ?? 0,
        ...(compacted && { compacted }),
        ...(origin !== undefined && { origin }),
      };
    }
    case 'tool':
      return {
        tool: activity.call.name,
        callId: activity.call.id,
        ...(activity.skill !== undefined && { skill: activity.skill }),
      };
    case 'layer': {
      const { plugin, hook, name } = activity.tap;
      return { plugin, hook, tap: name };
    }
  }
}

function ending(activity: Activity, prices: Prices | undefined): Partial<TraceEnd> {
  switch (activity.kind) {
    case 'run': {
      const { result } = activity;
      if (result === undefined) return { outcome: 'failed' };
      const { outcome, stopReason, steps, usage } = result;
      return { outcome, stopReason, steps, usage };
    }
    case 'step':
      return {};
    case 'model': {
      const { request, response } = activity;
      if (response === undefined) return {};
      const { finish, usage, message, metadata } = response;
      const cost =
        prices === undefined || usage === undefined
          ? undefined
          : costOf(prices, request.model.id, usage, responseFacts(metadata));
      const parts = message.content.filter((part) => typeof part === 'object');
      const providerCalls = parts.flatMap((part) => (part.type === 'provider-call' ? [part.name] : []));
      const sources = parts.filter(({ type }) => type === 'source').length;
      return {
        finish,
        toolCalls: parts.filter(({ type }) => type === 'tool-call').length,
        ...(providerCalls.length > 0 && { providerCalls }),
        ...(sources > 0 && { sources }),
        ...(usage !== undefined && { usage }),
        ...(cost !== undefined && { cost }),
      };
    }
    case 'tool':
      return { outcome: outcomeOf(activity), ...releaseIn(activity.result) };
    case 'layer': {
      const { ownMs, changes } = activity;
      return { ...(ownMs !== undefined && { ownMs }), ...(changes !== undefined && { changes }) };
    }
  }
}

/** Returns the release of a call, which an approval plugin keeps with the result; an empty object without one. */
function releaseIn(result: ToolResult | undefined): Pick<TraceEnd, 'released'> {
  for (const [by, kept] of Object.entries(result?.metadata ?? {})) {
    const released = isJsonObject(kept) ? kept['released'] : undefined;
    if (!isJsonObject(released)) continue;
    const { rules, because } = released;
    const texts = Array.isArray(rules) ? rules.filter((rule) => typeof rule === 'string') : [];
    return { released: { by, rules: texts, ...(typeof because === 'string' && { because }) } };
  }
  return {};
}

/** Returns the outcome of a tool call. */
export function outcomeOf({
  result,
  interrupted,
}: Extract<Activity, { kind: 'tool' }>): 'ok' | 'failed' | 'denied' | 'interrupted' {
  if (interrupted) return 'interrupted';
  if (result?.denied !== undefined) return 'denied';
  return result === undefined || result.isError === true ? 'failed' : 'ok';
}

function question({
  interrupt: { id, kind, plugin, call },
}: Extract<Note, { type: 'interrupt' }>): Partial<TraceNote> {
  return { interrupt: { id, kind, plugin, ...(call !== undefined && { tool: call.name }) } };
}

/** Describes a failure in a few words, never with its stack. */
export function errorOf(failure: unknown): TraceError {
  const type = failure instanceof Error ? failure.constructor.name : typeof failure;
  const message = messageOf(failure);
  return isShallotError(failure) ? { type, code: failure.code, message } : { type, message };
}

/**
 * Returns a function that finds the new parts of requests, since the history grows with each of them. A message is
 * written once, answers and results are written where they arise, and instructions only if they have changed.
 */
function newIn(): (activity: ModelActivity) => Partial<TraceStart> {
  const shown = new Set<string>();
  const history = new GrowingMessages<true>();
  let before: string | undefined;
  return ({ request: { messages, instructions } }) => {
    const isFirst = shown.size === 0;
    const { length = 0 } = history.find(messages) ?? {};
    const added = messages.slice(length);
    history.keep(messages, true, length);
    const fresh = added.filter(
      ({ id, role }) => !shown.has(id) && (isFirst || role === 'user' || role === 'system'),
    );
    for (const { id } of added) shown.add(id);
    const changed = instructions !== before && instructions !== '';
    before = instructions;
    return { ...(changed && { instructions }), newMessages: fresh.map(asJson) };
  };
}

function contentAtEnd(activity: Activity): Partial<TraceEnd> {
  if (activity.kind === 'tool' && activity.result !== undefined)
    return { result: shownResult(activity.result) };
  if (activity.kind === 'model' && activity.response !== undefined) {
    return { message: asJson(activity.response.message) };
  }
  return {};
}

function shownResult({ content, data }: ToolResult): JsonValue {
  return data ?? asJson(content);
}

/** Casts a value for the redactor, which accepts anything and returns plain data. */
function asJson(value: unknown): JsonValue {
  return value as JsonValue;
}
