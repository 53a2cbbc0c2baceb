import type { AssistantMessage, Message, ToolMessage, UserMessage } from '@shallot/core';
import type { SessionRecord } from '@shallot/core/store';

import { member } from '../http/member.ts';

/** Returns the messages of a session, with the input of a run that nobody has begun. */
export function storedMessages({
  messages,
  run,
}: Pick<SessionRecord, 'messages' | 'run'>): readonly Message[] {
  return run?.position.at === 'input' ? [...messages, ...run.position.input] : messages;
}

/** A run: what follows the messages that it began with. */
export interface RunTurn {
  readonly role: 'run';
  readonly id: string;
  readonly messages: (AssistantMessage | ToolMessage | UserMessage)[];
}

/** Returns the messages that runs began with, and the runs. */
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
  // A message that was sent to the run is a part of it, also before the model has seen it.
  for (const message of waiting) {
    if (run !== undefined && member(member(message.metadata, 'core'), 'sent') !== undefined)
      run.messages.push(message);
    else turns.push(message);
  }
  return turns;
}

/** The ids of answers begin with that of their run, and a dot. */
function runIdOf({ id, role, metadata }: Message, run: RunTurn | undefined): string {
  // The next run adds what an abandoned one has left.
  const isLeft = role === 'tool' || member(member(metadata, 'core'), 'brokenOff') === true;
  return isLeft && run !== undefined ? run.id : (id.split('.', 1)[0] ?? id);
}
