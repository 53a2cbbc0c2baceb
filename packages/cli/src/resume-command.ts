import { conduct, type ConductOptions } from './conduct.ts';
import { findSession, refuseBusy } from './find-session.ts';
import type { Screen } from './screen.ts';

/**
 * `shallot resume`: goes on with a session's run that was interrupted, or whose process died, and shows it as
 * `shallot run` does. On a terminal what is still open is asked first. Gives the exit status.
 */
export async function resumeCommand(
  session: string,
  options: ConductOptions,
  screen: Screen,
): Promise<number> {
  return conduct(
    options,
    screen,
    async () => session,
    async (text, { opened, signal, answerPending, asks }) => {
      const id = await findSession(opened.store, text);
      refuseBusy(await opened.store.load(id));
      if (asks && !(await answerPending(id))) return { waiting: id };
      return opened.agent.streamResume(id, {}, { signal });
    },
  );
}
