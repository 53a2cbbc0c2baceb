import { ShallotError } from '@shallot/core';

import type { AgentCommandOptions } from '../asking/config-loading.ts';
import { toJson } from '../rendering/render-json.ts';
import { renderTranscript } from '../rendering/render-transcript.ts';
import type { Screen } from '../terminal/screen.ts';
import { visibleLine } from '../terminal/visible.ts';
import { findSession } from '../work/find-session.ts';
import { summaryOf } from '../work/summary-of.ts';
import { withStore } from '../work/with-store.ts';

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
  await withStore(options, screen, async (store) => {
    const sessionId = await findSession(store, text);
    const summary = await summaryOf(store, sessionId);
    const record = await store.load(sessionId);
    if (summary === undefined || record === undefined) {
      throw new ShallotError('SESSION_NOT_FOUND', {
        message: `There is no session "${visibleLine(sessionId)}" any more: it was deleted just now.`,
      });
    }
    const { messages } = record;
    const { cursor: _, ...shown } = summary;
    await screen.line(
      options.json ? toJson({ ...shown, messages }, { indent: 2 }) : renderTranscript(summary, messages),
    );
  });
}
