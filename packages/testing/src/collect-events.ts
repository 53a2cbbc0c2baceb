import { type AgentEvent, textOf, type AssistantPart, type RunResult } from '@shallot/core';
import type { Chunk } from '@shallot/core/model';

import { assembleContent } from './assemble-content.ts';

/** The events of a stream that has ended. */
export interface CollectedEvents {
  readonly events: readonly AgentEvent[];
  /**
   * The content shown at the end, by step: all parts except those that a `restart` discarded. Parts before the first
   * `step-start` belong to the step that an event names first, or else to step 1.
   */
  readonly content: Readonly<Record<number, readonly AssistantPart[]>>;
  /** The text shown at the end: that of the last message that sent a chunk. */
  readonly text: string;
  /** The result from `run-end`; undefined if the stream ended without it. */
  readonly result: RunResult | undefined;
  /** The error that the stream threw, if any. The events before it are kept. */
  readonly error: unknown;
}

/** Consumes a stream to its end. Never rejects: a failure is returned as `error`. */
export async function collectEvents(stream: AsyncIterable<AgentEvent>): Promise<CollectedEvents> {
  const events: AgentEvent[] = [];
  let error: unknown;
  try {
    for await (const event of stream) events.push(event);
  } catch (thrown) {
    error = thrown;
  }
  const shown = shownIn(events);
  const content: Record<number, readonly AssistantPart[]> = {};
  for (const { step, parts } of shown) content[step] = [...(content[step] ?? []), ...parts];
  const end = events.findLast((event) => event.type === 'run-end');
  return {
    events,
    content,
    text: textOf({ role: 'assistant', content: shown.at(-1)?.parts ?? [] }),
    result: end?.result,
    error,
  };
}

interface Shown {
  readonly step: number;
  readonly parts: readonly AssistantPart[];
}

/** Returns the parts of each message as they were shown. A step, or a complete message, begins the next one. */
function shownIn(events: readonly AgentEvent[]): Shown[] {
  const shown: Shown[] = [];
  // In a run that continues after an interrupt, the first chunks belong to the step that is named first.
  let step = events.find((event) => 'step' in event)?.step ?? 1;
  let chunks: Chunk[] = [];
  const close = (): void => {
    if (chunks.length > 0) shown.push({ step, parts: assembleContent(chunks) });
    chunks = [];
  };
  for (const event of events) {
    if (isChunk(event)) chunks.push(event);
    else if (event.type === 'message') close();
    else if (event.type === 'step-start') {
      close();
      ({ step } = event);
    }
  }
  close();
  return shown;
}

function isChunk(event: AgentEvent): event is Chunk {
  return /^(.*-delta|part-end|restart)$/.test(event.type);
}
