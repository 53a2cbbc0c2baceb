import type { AgentEvent } from '../contract/events.ts';
import { textOf, type AssistantPart } from '../contract/messages.ts';
import type { Chunk } from '../contract/model.ts';
import type { RunResult } from '../contract/result.ts';
import { assembleContent } from './assemble-content.ts';

/** A stream that was followed to its end. */
export interface CollectedEvents {
  readonly events: readonly AgentEvent[];
  /** What a consumer ends with, by step: the parts of all that a `restart` did not void. Before the first step: 0. */
  readonly content: Readonly<Record<number, readonly AssistantPart[]>>;
  /** The text that a consumer ends with: that of the last message of which any chunk came. */
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

/** What each message is seen as: a step, and a message that is complete, begin the next one. */
function shownIn(events: readonly AgentEvent[]): Shown[] {
  const shown: Shown[] = [];
  // In a run that goes on after an interrupt, the first chunks belong to the step that is named first.
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
