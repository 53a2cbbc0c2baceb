import type { JsonObject, Message } from '@shallot/core';

import { member } from '../http/member.ts';
import { clientToolsMetadata, toolNamesIn, type ClientTool } from '../work/client-tools.ts';

/** The terms of the request that began a run, which hold for all of its responses. */
export interface ResponseNotes {
  /** The names of the tools that the client executes. */
  readonly toolNames: ReadonlySet<string>;
  /** The label of the agent's tools, where the client wants to see them and be asked for approval. */
  readonly label: string | undefined;
  /** The text is the last answer alone: it matches a schema. */
  readonly isWhole: boolean;
}

const key = 'response';

/** Returns the metadata of an input, from which `notesIn` reads these notes. */
export function notesMetadata(
  tools: readonly ClientTool[],
  { label, isWhole }: Omit<ResponseNotes, 'toolNames'>,
): JsonObject {
  const note = { isWhole, ...(label === undefined ? {} : { label }) };
  return { [key]: note, ...(tools.length === 0 ? {} : clientToolsMetadata(tools)) };
}

/** Returns the notes in the input of a run; undefined if no request for a response began it. */
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
