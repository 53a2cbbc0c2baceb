import type { AgentEvent } from '../events.ts';
import type { AssistantPart } from '../messages.ts';
import type { Chunk } from '../model.ts';
import type { RunResult } from '../result.ts';
import { assembleContent } from './assemble-content.ts';

/** A stream that was followed to its end. */
export interface CollectedEvents {
  readonly events: readonly AgentEvent[];
  /** What a consumer ends with, by step, from 1: the parts since the last `restart`. */
  readonly content: Readonly<Record<number, readonly AssistantPart[]>>;
  /** The text that a consumer who drops what it has at `restart` ends with, of the last step that had any chunk. */
  readonly text: string;
  /** Of `run-end`; undefined when the stream ended without it. */
  readonly result: RunResult | undefined;
  /** What following the stream threw, so that what came before it can be looked at. */
  readonly error: unknown;
}

/** Follows a stream to its end. Rejects for nothing: a failure is given as `error`. */
export async function collectEvents(stream: AsyncIterable<AgentEvent>): Promise<CollectedEvents> {
  const events: AgentEvent[] = [];
  let error: unknown;
  try {
    for await (const event of stream) events.push(event);
  } catch (thrown) {
    error = thrown;
  }
  const content = contentBySteps(events);
  const last = Object.values(content).at(-1) ?? [];
  const end = events.findLast((event) => event.type === 'run-end');
  return {
    events,
    content,
    text: last.map((part) => (part.type === 'text' ? part.text : '')).join(''),
    result: end?.result,
    error,
  };
}

/** A chunk belongs to the step that began last; in a run that goes on after an interrupt, to the first that is named. */
function contentBySteps(events: readonly AgentEvent[]): Record<number, AssistantPart[]> {
  const chunks: Record<number, Chunk[]> = {};
  let step = events.find((event) => 'step' in event)?.step ?? 1;
  for (const event of events) {
    if (event.type === 'step-start') step = event.step;
    else if (isChunk(event)) (chunks[step] ??= []).push(event);
  }
  return Object.fromEntries(Object.entries(chunks).map(([key, list]) => [key, assembleContent(list)]));
}

function isChunk(event: AgentEvent): event is Chunk {
  return /^(.*-delta|part-end|restart)$/.test(event.type);
}
