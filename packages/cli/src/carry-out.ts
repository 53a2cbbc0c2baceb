import type { Invocation } from './invocation.ts';
import { noteFailure } from './rendering/note-failure.ts';
import { jsonRenderer } from './rendering/render-json.ts';
import { CommandFailure } from './terminal/command-failure.ts';
import { exitStatus } from './terminal/exit-status.ts';
import { statusOfBroken } from './terminal/print.ts';
import type { Screen } from './terminal/screen.ts';

/** Executes a command, and closes its screen. Resolves to the exit status once all output is written. */
export async function carryOut(invocation: Invocation, screen: Screen): Promise<number> {
  screen.debug ||= invocation.debug;
  screen.json = invocation.json;
  const status = await statusOfInvocation(invocation, screen);
  await screen.close();
  if (!screen.broken.aborted) return status;
  return statusOfBroken(screen.broken.reason as NodeJS.ErrnoException, status, screen.io);
}

async function statusOfInvocation({ carryOut }: Invocation, screen: Screen): Promise<number> {
  try {
    return (await carryOut(screen)) ?? exitStatus.completed;
  } catch (error) {
    if (screen.json) {
      await jsonRenderer(screen).failed(error instanceof CommandFailure ? (error.cause ?? error) : error);
    }
    return noteFailure(error, screen);
  }
}
