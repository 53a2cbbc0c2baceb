import type { Agent } from '@shallot/core';
import { messageOf, permissionModes, type PermissionMode } from '@shallot/core/plugin';

import { CommandFailure } from '../terminal/command-failure.ts';
import { exitStatus } from '../terminal/exit-status.ts';

/** Returns the mode of permissions that was typed. @throws a usage failure for any other text */
export function readMode(text: string): PermissionMode {
  const mode = permissionModes.find((each) => each === text);
  if (mode !== undefined) return mode;
  throw new CommandFailure(
    exitStatus.usage,
    `There is no mode ${JSON.stringify(text)}; write one of ${permissionModes.join(', ')}.`,
  );
}

/** Chooses the mode of a session. @throws a usage failure if the agent has no modes, or not this one */
export function chooseMode({ permissions }: Agent, sessionId: string, text: string): void {
  const mode = readMode(text);
  if (permissions === undefined)
    throw new CommandFailure(
      exitStatus.usage,
      'The agent has no plugin that evaluates permissions, and so no modes. Add one: shallot add hitl',
    );
  try {
    permissions.chooseMode(sessionId, mode);
  } catch (error) {
    throw new CommandFailure(exitStatus.usage, messageOf(error));
  }
}
