import { resolve } from 'node:path';

import type { SessionUpdate, ToolCall, ToolCallContent, ToolCallLocation } from '@agentclientprotocol/sdk';
import type { AssistantMessage, JsonValue, Tool, ToolMessage } from '@shallot/core';
import {
  belowRoot,
  fullPath,
  isJsonObject,
  textPart,
  type ToolDisplay,
  type ToolLocation,
} from '@shallot/core/plugin';
import { editedInput } from '@shallot/core/work';

import { contentOf } from './content-blocks.ts';

/** The maximum number of lines about a child's work; the latest ones are shown. */
const maxActivities = 20;

/** A tool call. Its display data may be missing: a stored message has only its name and arguments. */
export interface KnownCall extends Partial<ToolDisplay> {
  readonly id: string;
  readonly name: string;
  readonly input: JsonValue;
}

/** The directories that the paths of a session's files stand for. */
export interface FilePlaces {
  /** The absolute directory of the root. */
  readonly cwd: string;
  /** Other absolute directories, by their places in the files. */
  readonly roots: Readonly<Record<string, string>>;
}

/** Returns the tool of a name; undefined if there is none. */
export type FindTool = (name: string) => Tool | undefined;

type ProvidedResult = Extract<AssistantMessage['content'][number], { readonly type: 'provider-result' }>;

type Update = Extract<SessionUpdate, { sessionUpdate: 'tool_call' | 'tool_call_update' }>;

/** The tool calls that an editor was shown. Each is announced once and ends once. */
export class ToolCalls {
  readonly #places: FilePlaces;
  readonly #find: FindTool;
  /** The open calls, with the diffs of their edits. */
  readonly #open = new Map<string, readonly ToolCallContent[]>();
  readonly #ended = new Set<string>();
  readonly #activities = new Map<string, string[]>();

  constructor(places: FilePlaces, find: FindTool) {
    this.#places = places;
    this.#find = find;
  }

  /** Returns the update that announces a call, or adds to an announced one; undefined for one that has ended. */
  known(given: KnownCall, status: 'pending' | 'in_progress'): Update | undefined {
    const { id, name } = given;
    if (this.#ended.has(id)) return undefined;
    const call = this.#shown(given);
    const content = diffsOf(call, this.#places);
    const facts = {
      toolCallId: id,
      name,
      status,
      title: titleOf(call),
      rawInput: call.input,
      ...(call.kind !== undefined && { kind: call.kind }),
      ...(call.locations !== undefined && { locations: call.locations.map((each) => this.#located(each)) }),
      ...(content.length > 0 && { content }),
    } satisfies ToolCall;
    const isNew = !this.#open.has(id);
    this.#open.set(id, content);
    return isNew ? { sessionUpdate: 'tool_call', ...facts } : { sessionUpdate: 'tool_call_update', ...facts };
  }

  /** Returns the update that ends a call with its result; undefined for one that was not announced, or has ended. */
  ended(message: ToolMessage): Update | undefined {
    const { callId, content, data, isError, denied } = message;
    const edited = editedInput(message);
    // An update replaces the content as a whole.
    const diffs = this.#open.get(callId) ?? [];
    if (!this.#end(callId)) return undefined;
    return {
      sessionUpdate: 'tool_call_update',
      toolCallId: callId,
      status: isError === true || denied !== undefined ? 'failed' : 'completed',
      content: [...diffs, ...content.map(contentOf), ...reasonOf(message)],
      ...(edited !== undefined && { rawInput: edited }),
      ...(data !== undefined && { rawOutput: data }),
    };
  }

  /**
   * Returns the update that ends a call executed by the model's provider; undefined for one that was not announced,
   * or has ended.
   */
  provided({ callId, result, isError }: ProvidedResult): Update | undefined {
    if (!this.#end(callId)) return undefined;
    return {
      sessionUpdate: 'tool_call_update',
      toolCallId: callId,
      status: isError === true ? 'failed' : 'completed',
      rawOutput: result,
    };
  }

  /** Yields the updates that end all calls whose results are missing at the end of a run. */
  *left(): Generator<Update> {
    for (const toolCallId of this.#open.keys()) {
      this.#end(toolCallId);
      yield { sessionUpdate: 'tool_call_update', toolCallId, status: 'failed' };
    }
  }

  /**
   * Returns the update that shows the last work of a child as the content of the call that began it; undefined if that has
   * ended.
   */
  activity(toolCallId: string, text: string): Update | undefined {
    if (!this.#open.has(toolCallId)) return undefined;
    const lines = [...(this.#activities.get(toolCallId) ?? []), text].slice(-maxActivities);
    this.#activities.set(toolCallId, lines);
    return {
      sessionUpdate: 'tool_call_update',
      toolCallId,
      content: [{ type: 'content', content: { type: 'text', text: lines.join('\n') } }],
    };
  }

  /** Returns the edits of a call as diffs. */
  diffs(call: KnownCall): ToolCallContent[] {
    return diffsOf(this.#shown(call), this.#places);
  }

  /**
   * Adds the tool's own description to a call without one, such as a call in a message, which has only a name and
   * arguments.
   */
  #shown(call: KnownCall): KnownCall {
    const tool = call.kind === undefined ? this.#find(call.name) : undefined;
    if (tool === undefined) return call;
    const { title, kind } = tool;
    const locations = locationsOf(tool, call.input);
    return {
      ...(title !== undefined && { title }),
      ...(kind !== undefined && { kind }),
      ...(locations !== undefined && { locations }),
      ...call,
    };
  }

  #end(id: string): boolean {
    this.#activities.delete(id);
    if (!this.#open.delete(id)) return false;
    this.#ended.add(id);
    return true;
  }

  #located({ path, line }: { readonly path: string; readonly line?: number }): ToolCallLocation {
    return { path: absolute(path, this.#places), ...(line !== undefined && { line }) };
  }
}

/** Returns the reason of a denial as content, unless the result has content already. */
function reasonOf({ content, denied }: ToolMessage): ToolCallContent[] {
  const reason = content.length === 0 ? denied?.reason : undefined;
  return reason === undefined ? [] : [contentOf(textPart(reason))];
}

/** Returns the places that a call would touch; undefined if its tool does not tell, or would refuse the arguments. */
function locationsOf({ locations }: Tool, input: JsonValue): readonly ToolLocation[] | undefined {
  try {
    return locations?.(input);
  } catch {
    // The call will fail because of these arguments, and its error is shown then.
    return undefined;
  }
}

/** Returns the title of a call: the title or the name of its tool, and the first place that it touches. */
function titleOf({ title, name, locations }: KnownCall): string {
  const [first] = locations ?? [];
  return first === undefined ? (title ?? name) : `${title ?? name}: ${first.path}`;
}

/** Returns the edits of a call as diffs, for tools with the arguments of the file tools; none for other calls. */
function diffsOf({ kind, input }: KnownCall, places: FilePlaces): ToolCallContent[] {
  if (kind !== 'edit' || !isJsonObject(input) || typeof input['path'] !== 'string') return [];
  const path = absolute(input['path'], places);
  const diff = (oldText: JsonValue | undefined, newText: JsonValue | undefined): ToolCallContent[] =>
    typeof newText === 'string'
      ? [{ type: 'diff', path, newText, ...(typeof oldText === 'string' && { oldText }) }]
      : [];
  const edits = Array.isArray(input['edits']) ? input['edits'] : [input];
  const replaced = edits.filter(isJsonObject).flatMap((edit) => diff(edit['old_string'], edit['new_string']));
  return replaced.length > 0 ? replaced : diff(undefined, input['content']);
}

/**
 * Returns an absolute path of this machine. Paths of tools begin with the root of the files, which is the session's
 * directory.
 */
function absolute(path: string, { cwd, roots }: FilePlaces): string {
  const place = Object.keys(roots).find((each) => path.startsWith(each));
  if (place !== undefined) return resolve(roots[place] ?? cwd, `./${path.slice(place.length)}`);
  // Models also write the path of the machine.
  const inside = belowRoot(fullPath(path), cwd) ?? path;
  return resolve(cwd, `./${inside}`);
}
