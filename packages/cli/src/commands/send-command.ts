import { sendMessage, type SendOptions } from '@shallot/core/work';

import type { AgentCommandOptions } from '../asking/config-loading.ts';
import { CommandFailure } from '../terminal/command-failure.ts';
import { exitStatus } from '../terminal/exit-status.ts';
import type { Screen } from '../terminal/screen.ts';
import { visibleLine } from '../terminal/visible.ts';
import { findSession } from '../work/find-session.ts';
import { withSharedStore } from '../work/with-store.ts';

export interface SendCommandOptions extends AgentCommandOptions {
  readonly when?: string;
  readonly by?: string;
}

/** The moments at which a run reads a message, in words. */
const moments = {
  'next-step': 'its run reads it before the next model call',
  instead: 'its run reads it before the next model call, and withdraws the calls that have not begun',
  'after-run': 'it is the input of a run of its own, after this one',
} as const satisfies Record<NonNullable<SendOptions['when']>, string>;

/** `shallot send`: sends a message to the run of a session, whichever process executes it. */
export async function sendCommand(
  session: string,
  message: string,
  { when: given = 'next-step', by, ...options }: SendCommandOptions,
  screen: Screen,
): Promise<void> {
  const when = keys.find((each) => each === given);
  if (when === undefined)
    throw new CommandFailure(
      exitStatus.usage,
      `--when is ${JSON.stringify(given)}; write one of ${keys.join(', ')}.`,
    );
  await withSharedStore('shallot send', options, screen, async (store) => {
    const sessionId = await findSession(store, session);
    await sendMessage(store, sessionId, message, { when, ...(by === undefined ? {} : { by }) });
    await screen.line(`Sent to session ${visibleLine(sessionId)}: ${moments[when]}.`);
  });
}

const keys = ['next-step', 'instead', 'after-run'] as const;
