import type { AssistantMessage, Message, ToolMessage, UserMessage } from '@shallot/core';
import type { SessionRecord } from '@shallot/core/store';

import { member } from '../http/member.ts';

/** Returns the messages of a session, including the input of a run that no worker has begun yet. */
export function storedMessages({
  messages,
  run,
}: Pick<SessionRecord, 'messages' | 'run'>): readonly Message[] {
  return run?.position.at === 'input' ? [...messages, ...run.position.input] : messages;
}

/** A run: the messages after its input. */
export interface RunTurn {
  readonly role: 'run';
  readonly id: string;
  readonly messages: (AssistantMessage | ToolMessage | UserMessage)[];
}

/** Returns the turns of a session: the inputs of its runs, and the runs. Summaries and instructions are left out. */
export function turnsOf(messages: readonly Message[]): readonly (UserMessage | RunTurn)[] {
  const turns: (UserMessage | RunTurn)[] = [];
  let waiting: UserMessage[] = [];
  let run: RunTurn | undefined;
  for (const message of messages) {
    if (message.role === 'system' || (message.role === 'user' && message.source !== undefined)) continue;
    if (message.role === 'user') waiting.push(message);
    else {
      const id = runIdOf(message, run);
      if (run?.id === id) run.messages.push(...waiting, message);
      else turns.push(...waiting, (run = { role: 'run', id, messages: [message] }));
      waiting = [];
    }
  }
  // A message that was sent to the run belongs to it, even if the model has not seen it yet.
  for (const message of waiting) {
    if (run !== undefined && member(member(message.metadata, 'core'), 'sent') !== undefined)
      run.messages.push(message);
    else turns.push(message);
  }
  return turns;
}

/** Returns the id of the run that a message belongs to. Ids of answers begin with the id of their run and a dot. */
function runIdOf({ id, role, metadata }: Message, run: RunTurn | undefined): string {
  // The leftovers of an abandoned run are added by the next run.
  const isLeft = role === 'tool' || member(member(metadata, 'core'), 'brokenOff') === true;
  return isLeft && run !== undefined ? run.id : (id.split('.', 1)[0] ?? id);
}
