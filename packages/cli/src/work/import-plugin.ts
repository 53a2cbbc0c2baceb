import { isShallotError } from '@shallot/core';
import { importPackage } from '@shallot/core/config';

import { CommandFailure } from '../terminal/command-failure.ts';
import { exitStatus } from '../terminal/exit-status.ts';

/** A plugin package that a command needs. */
export interface NeededPlugin<Name extends string> {
  /** The package, or an entry of it. */
  readonly entry: string;
  /** The functions that the command calls. */
  readonly functions: readonly Name[];
  /** The command, for messages: `shallot trace`. */
  readonly command: string;
  /** The project's directory. */
  readonly directory: string;
}

/**
 * Imports a plugin's package for a command: the one installed in the project, whose files runs use; otherwise one
 * installed beside the command. Rejects with a usage failure that says what to install.
 */
export async function importPlugin<Module, Name extends keyof Module & string>(
  { entry, functions, command, directory }: NeededPlugin<Name>,
  beside: string = import.meta.dirname,
): Promise<Pick<Module, Name>> {
  const module = await findPlugin(entry, [directory, beside]).catch((cause: unknown) => {
    throw new CommandFailure(exitStatus.usage, { cause, hint: `${command} needs it.` });
  });
  const missing = functions.find((name) => typeof module[name] !== 'function');
  if (missing !== undefined) {
    throw new CommandFailure(
      exitStatus.usage,
      `${command} needs ${missing} of ${entry}, which the installed version does not have. Install a version of that package, or of shallot, that fits.`,
    );
  }
  // The functions exist, and the package of this name has these types.
  return module as unknown as Pick<Module, Name>;
}

/** Imports the package from the first directory that has it. @throws the error of the first directory if none has it */
async function findPlugin(
  entry: string,
  [directory, beside]: readonly [directory: string, beside: string],
): Promise<Readonly<Record<string, unknown>>> {
  try {
    return await importPackage(entry, { directory });
  } catch (error) {
    if (!isShallotError(error, 'MODULE_NOT_FOUND')) throw error;
    return importPackage(entry, { directory: beside }).catch((other: unknown) => {
      throw isShallotError(other, 'MODULE_NOT_FOUND') ? error : other;
    });
  }
}
