import type { CompleteResponse } from '../../contract/hooks.ts';
import { textOf, textPart } from '../../contract/messages.ts';
import type { Signs } from '../parts/signs.ts';
import type { LastWord } from '../parts/verdict.ts';
import type { RecordWriter } from '../record-writer.ts';
import type { RunParts } from '../run-parts.ts';
import { StreamEdge } from './stream-edge.ts';

/** Emits the `message` event, after which the streamed parts are final. */
export function announce(
  record: RecordWriter,
  signs: Signs,
  { message, finish, usage }: Partial<CompleteResponse> & Pick<CompleteResponse, 'message'>,
): void {
  void signs.listener?.({
    type: 'message',
    step: record.progress.step,
    message,
    ...(finish === undefined ? {} : { finish }),
    ...(usage === undefined ? {} : { usage }),
  });
}

/**
 * Streams the last message of a run if no model call of this stream did. Of a tool's result, only the text is streamed,
 * since `tool-end` contained its message.
 */
export async function showLastWord(run: RunParts, { message, finish }: LastWord): Promise<void> {
  const { listener } = run.signs;
  if (listener === undefined) return;
  const isResult = message.role === 'tool';
  const content = isResult ? [textPart(textOf(message))] : message.content;
  await run.life.orAbort(new StreamEdge(listener).show(content));
  if (!isResult) announce(run.record, run.signs, { message, ...(finish === undefined ? {} : { finish }) });
}
