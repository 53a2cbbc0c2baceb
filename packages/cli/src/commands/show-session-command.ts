import { ShallotError } from '@shallot/core';

import type { AgentCommandOptions } from '../asking/config-loading.ts';
import { listedSession } from '../rendering/listed-session.ts';
import { toJson } from '../rendering/render-json.ts';
import { renderTranscript } from '../rendering/render-transcript.ts';
import type { Screen } from '../terminal/screen.ts';
import { visibleLine } from '../terminal/visible.ts';
import { childLines } from '../work/child-lines.ts';
import { childSessions } from '../work/child-sessions.ts';
import { findSession } from '../work/find-session.ts';
import { summaryOf } from '../work/summary-of.ts';
import { withSharedStore } from '../work/with-store.ts';

export interface ShowSessionOptions extends AgentCommandOptions {
  readonly json?: boolean;
}

/**
 * `shallot sessions show`: prints a session as Markdown, or as JSON with its messages. @throws `SESSION_NOT_FOUND`,
 * `STORE_DAMAGED`
 */
export async function showSessionCommand(
  text: string,
  options: ShowSessionOptions,
  screen: Screen,
): Promise<void> {
  await withSharedStore('shallot sessions show', options, screen, async (store) => {
    const sessionId = await findSession(store, text);
    const summary = await summaryOf(store, sessionId);
    const record = await store.load(sessionId);
    if (summary === undefined || record === undefined) {
      throw new ShallotError('SESSION_NOT_FOUND', {
        message: `There is no session "${visibleLine(sessionId)}" any more: it was deleted just now.`,
      });
    }
    const { messages } = record;
    const below = await childSessions(store, sessionId);
    if (options.json) {
      const children = below.map(({ session }) => listedSession(session));
      const tree = children.length === 0 ? {} : { children };
      return screen.line(toJson({ ...listedSession(summary), messages, ...tree }, { indent: 2 }));
    }
    const tree = below.length === 0 ? '' : `\n\n## Subagents\n\n${childLines(below).join('\n')}`;
    return screen.line(`${renderTranscript(summary, messages)}${tree}`);
  });
}
