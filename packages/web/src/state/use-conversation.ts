import { useEffect, useRef } from 'preact/hooks';

import type { Connection } from './connection.ts';
import { Conversation } from './conversation.ts';

/**
 * Returns the conversation for the address of the page. If its first message creates the session, the conversation
 * stays the same.
 */
export function useConversation(
  { client }: Connection,
  sessionId: string | undefined,
  go: (sessionId: string | undefined) => void,
): Conversation {
  const current = useRef<Conversation | undefined>(undefined);
  if (current.current === undefined || current.current.view.value.sessionId !== sessionId) {
    current.current?.close();
    current.current = new Conversation(client, sessionId);
  }
  const conversation = current.current;
  useEffect(() => {
    void conversation.read();
    return conversation.view.watch(() => {
      const { sessionId: begun } = conversation.view.value;
      if (begun !== undefined && conversation === current.current && sessionId === undefined) go(begun);
    });
  }, [conversation]);
  return conversation;
}
