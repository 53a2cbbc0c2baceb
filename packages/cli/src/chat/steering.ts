import type { Agent } from '@shallot/core';

import type { QueuedMessage, Recipient } from '../keyboard/message-queue.ts';
import { noteFailure } from '../rendering/note-failure.ts';
import type { Screen } from '../terminal/screen.ts';
import { attachFiles, notTaken } from './attach-files.ts';

export interface Steering {
  readonly agent: Agent;
  readonly sessionId: string;
  readonly screen: Screen;
  /** Executes a command that need not wait for the end of the run. Resolves to false for any other. */
  readonly commandAtOnce: (message: QueuedMessage) => Promise<boolean>;
}

/** Returns the run of a session as the recipient of messages, with the files that they mention. */
export function steering({ agent, sessionId, screen, commandAtOnce }: Steering): Recipient {
  return {
    async send({ id, text }) {
      // A command is executed here, and not sent to the run.
      if (text.startsWith('/')) return commandAtOnce({ id, text });
      try {
        const attached = attachFiles(text.trim(), screen.io.cwd);
        if ('problems' in attached) return false;
        const { input } = attached;
        const message = typeof input === 'string' ? { role: 'user' as const, content: input } : input;
        await agent.send(sessionId, { ...message, id });
        for (const note of notTaken(input, agent.model)) screen.note(screen.paintNotes.dim(note));
        return true;
      } catch {
        // The run is ending, or its store has no inbox. The message begins the next run, which reports other failures.
        return false;
      }
    },
    async unsend(id) {
      try {
        return await agent.unsend(sessionId, id);
      } catch (error) {
        // The session keeps the message for its next run.
        noteFailure(error, screen);
        return false;
      }
    },
  };
}
