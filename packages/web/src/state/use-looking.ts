import { useEffect } from 'preact/hooks';

import type { Conversation } from './conversation.ts';
import type { SessionList } from './session-list.ts';

/** The time between two checks for changes by other clients, in milliseconds. */
const lookMs = 4000;

/**
 * Reads the list of sessions at regular intervals while the page is visible, and whenever the session or its state changes.
 * Reads the current session if another client has changed it.
 */
export function useLooking(list: SessionList, conversation: Conversation): void {
  const { sessionId, state } = conversation.view.value;
  useEffect(() => {
    void list.read();
  }, [list, sessionId, state]);
  useEffect(() => {
    const look = async (): Promise<void> => {
      if (document.hidden) return;
      await list.read();
      const { sessionId: id } = conversation.view.value;
      const line = list.view.value.lines.find((each) => each.id === id);
      if (line !== undefined) await conversation.look(line.updatedAt);
    };
    const timer = setInterval(() => void look(), lookMs);
    const onSeen = (): void => void look();
    document.addEventListener('visibilitychange', onSeen);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', onSeen);
    };
  }, [list, conversation]);
}
