import type { JsonObject, Message } from '@shallot/core';

import { member } from '../http/member.ts';
import { clientToolsMetadata, toolNamesIn, type ClientTool } from '../work/client-tools.ts';

/** The terms of the request that began a run. They apply to all responses of the run. */
export interface ResponseNotes {
  /** The names of the tools that the client executes. */
  readonly toolNames: ReadonlySet<string>;
  /** The label of the agent's tools; undefined if the client does not want to see their calls and approve them. */
  readonly label: string | undefined;
  /** True if the text is only the last answer, because it has to match a schema. */
  readonly isWhole: boolean;
}

const key = 'response';

/** Returns metadata of an input with these notes, which `notesIn` reads. */
export function notesMetadata(
  tools: readonly ClientTool[],
  { label, isWhole }: Omit<ResponseNotes, 'toolNames'>,
): JsonObject {
  const note = { isWhole, ...(label === undefined ? {} : { label }) };
  return { [key]: note, ...(tools.length === 0 ? {} : clientToolsMetadata(tools)) };
}

/** Returns the notes in the input of a run; undefined if the run was not begun by a request for a response. */
export function notesIn({ metadata }: Pick<Message, 'metadata'>): ResponseNotes | undefined {
  const note = member(metadata, key);
  if (note === undefined) return undefined;
  const label = member(note, 'label');
  return {
    toolNames: new Set(toolNamesIn(metadata)),
    label: typeof label === 'string' ? label : undefined,
    isWhole: member(note, 'isWhole') === true,
  };
}
