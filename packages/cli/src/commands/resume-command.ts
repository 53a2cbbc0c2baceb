import { abandonRun, ShallotError } from '@shallot/core';
import { isClaimLive, type SessionRecord } from '@shallot/core/store';

import { withGivingUp } from '../asking/ways-out.ts';
import { exitStatus } from '../terminal/exit-status.ts';
import type { Screen } from '../terminal/screen.ts';
import { visibleLine } from '../terminal/visible.ts';
import { chooseMode } from '../work/choose-mode.ts';
import { conduct, type ConductOptions } from '../work/conduct.ts';
import { findSession } from '../work/find-session.ts';
import { requireShared } from '../work/require-shared.ts';
import { withSharedStore } from '../work/with-store.ts';

export interface ResumeCommandOptions extends ConductOptions {
  readonly abandon?: boolean;
  /** The mode of the session's permissions. */
  readonly mode?: string;
  /** Resumes the run of another agent, too. */
  readonly takeOver?: boolean;
}

/**
 * `shallot resume`: resumes the interrupted or unfinished run of a session, and shows it as `shallot run` does. On a
 * terminal it first asks the open questions. With `abandon`, it abandons the run, and loads only the store. Returns the
 * exit status.
 */
export async function resumeCommand(
  sessionId: string,
  options: ResumeCommandOptions,
  screen: Screen,
): Promise<number> {
  if (options.abandon) return giveUp(sessionId, options, screen);
  try {
    return await conduct(
      options,
      screen,
      async () => sessionId,
      async (text, { opened, signal, answerPending, asks }) => {
        requireShared(opened.store, 'shallot resume', opened.config.merged.store?.locate());
        const id = await findSession(opened.store, text);
        refuseBusy(await opened.store.load(id));
        if (options.mode !== undefined) chooseMode(opened.agent, id, options.mode);
        if (asks && !(await answerPending(id))) return { waiting: id };
        return opened.agent.streamResume(id, {}, { signal, ...(options.takeOver && { takeOver: true }) });
      },
    );
  } catch (error) {
    throw withGivingUp(error, sessionId, options, screen);
  }
}

async function giveUp(text: string, options: ResumeCommandOptions, screen: Screen): Promise<number> {
  await withSharedStore('shallot resume', options, screen, async (store) => {
    const sessionId = await findSession(store, text);
    await abandonRun(store, sessionId);
    screen.note(`The run of session ${visibleLine(sessionId)} was abandoned.`);
  });
  return exitStatus.completed;
}

/** Refuses a session that a run works on. @throws `STORE_CONFLICT` */
function refuseBusy(record: SessionRecord | undefined): void {
  const { id: sessionId, claim } = record ?? {};
  if (sessionId === undefined || claim === undefined || !isClaimLive(claim)) return;
  throw new ShallotError('STORE_CONFLICT', {
    message: `Session "${visibleLine(sessionId)}" is being worked on by process ${claim.pid} on ${claim.host}. Wait for its run to end, or stop it.`,
    transient: true,
  });
}
