import type { EventForm } from '../events/event-stream.ts';
import type { FeedNews } from '../events/run-feed.ts';
import { RunChunks } from './run-chunks.ts';
import type { UiChunk } from './ui-chunk.ts';

/**
 * Writes a run as a UI message stream of the AI SDK, from its beginning. If the run was resumed, or something was
 * taken back, the client already has a part of the message. `reset-step` makes it discard that part, completely
 * because the stream has no `start-step`.
 */
export function chatForm(runId: string): EventForm {
  const chunks = new RunChunks();
  const reset: readonly UiChunk[] = [{ type: 'reset-step' }];
  const chunksOf = ({ events }: FeedNews): readonly UiChunk[] | undefined => {
    const written: UiChunk[] = [];
    for (const { event } of events) {
      const news = chunks.take(event);
      if (news === undefined) return undefined;
      written.push(...news);
    }
    return written;
  };
  return {
    headers: { 'x-vercel-ai-ui-message-stream': 'v1' },
    first: textOf([{ type: 'start', messageId: runId }, ...reset]),
    write(news, all) {
      const written = chunksOf(news);
      if (written !== undefined) return textOf(written);
      chunks.clear();
      return textOf([...reset, ...(chunksOf(all()) ?? [])]);
    },
    end: () => `${chunks.isOver ? '' : textOf([left])}data: [DONE]\n\n`,
  };
}

/** The chunk for a stream that ends before its run. */
const left: UiChunk = {
  type: 'error',
  errorText: 'The server ends the stream, and the run goes on. Resume the stream.',
};

function textOf(chunks: readonly UiChunk[]): string {
  return chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('');
}
