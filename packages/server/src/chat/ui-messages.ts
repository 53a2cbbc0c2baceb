import type { UserMessage } from '@shallot/core';
import { openInterrupts, statusOf, type RunRecord, type SessionRecord } from '@shallot/core/store';

import { storedMessages, turnsOf, type RunTurn } from '../api/turns.ts';
import { partChunks, resultChunks, steeringChunk, userPart } from './part-chunks.ts';
import { PartFold } from './part-fold.ts';
import { questionChunks } from './questions.ts';
import { runMetadata } from './run-chunks.ts';
import type { UiMessage } from './ui-chunk.ts';

/**
 * Returns the messages of a session in the form in which `useChat` keeps them. Each run is one assistant message with
 * the id of the run.
 */
export function uiMessages(record: Pick<SessionRecord, 'messages' | 'run'>): readonly UiMessage[] {
  return turnsOf(storedMessages(record)).map((turn) =>
    turn.role === 'user' ? userMessage(turn) : runMessage(turn, record.run),
  );
}

function userMessage({ id, content }: UserMessage): UiMessage {
  return { id, role: 'user', parts: content.map(userPart) };
}

function runMessage({ id, messages }: RunTurn, last: RunRecord | undefined): UiMessage {
  const fold = new PartFold();
  for (const message of messages) {
    if (message.role === 'tool') fold.add(resultChunks(message));
    else if (message.role === 'user') fold.add([steeringChunk(message)]);
    else
      for (const [index, part] of message.content.entries())
        if (!('text' in part) || part.text !== '') fold.add(partChunks(part, `${message.id}-${index}`));
  }
  if (last?.id !== id) return { id, role: 'assistant', parts: fold.parts };
  fold.add(questionChunks(openInterrupts(last)));
  const { stopReason, step: steps, usage } = last;
  const metadata = runMetadata({ outcome: statusOf(last), stopReason, steps, usage });
  return { id, role: 'assistant', parts: fold.parts, metadata };
}
