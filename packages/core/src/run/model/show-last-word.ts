import type { CompleteResponse } from '../../contract/hooks.ts';
import { textOf, textPart } from '../../contract/messages.ts';
import type { ActiveRun } from '../active-run.ts';
import type { LastWord } from '../parts/verdict.ts';
import { StreamEdge } from './stream-edge.ts';

/** Puts a message on the stream, which closes what was shown before it. */
export function announce(
  run: ActiveRun,
  { message, finish, usage }: Partial<CompleteResponse> & Pick<CompleteResponse, 'message'>,
): void {
  void run.listener?.({
    type: 'message',
    step: run.progress.step,
    message,
    ...(finish === undefined ? {} : { finish }),
    ...(usage === undefined ? {} : { usage }),
  });
}

/** Streams what a run ends with, where no model call of this stream has. The message of a tool's result was in `tool-end`. */
export async function showLastWord(run: ActiveRun, { message, finish }: LastWord): Promise<void> {
  if (run.listener === undefined) return;
  const isResult = message.role === 'tool';
  const content = isResult ? [textPart(textOf(message))] : message.content;
  await run.orAbort(new StreamEdge(run.listener).show(content));
  if (!isResult) announce(run, { message, ...(finish === undefined ? {} : { finish }) });
}
