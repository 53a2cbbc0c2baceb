import type { Files } from '../../files/files.ts';
import type { Input } from '../messages.ts';
import { serviceKey, type ServiceKey } from '../plugin.ts';
import type { RunIdentity } from '../run-info.ts';

/** Something that a person calls by its name in the place of a message, as `/name` in a chat. */
export interface UserCommand {
  readonly name: string;
  /** What it is, `skill` for instance: it is `/skill:name` where something else is called `/name`. */
  readonly kind: string;
  /** What it does, for people. */
  readonly about: string;
  /** What a run is given for it; `text` is what the person wrote after the name. */
  readonly input: (text: string) => Input | Promise<Input>;
}

/** The run that a person could call commands in. It has not begun, and may never. */
export interface RunToCome extends RunIdentity {
  /** The agent's files, or those that the run will have. */
  readonly files: Files;
}

/** The commands that a plugin brings, as they are now. */
export interface UserCommands {
  readonly list: (run: RunToCome) => readonly UserCommand[] | Promise<readonly UserCommand[]>;
}

const prefix = 'shallot/user-commands/';

/** The key of the commands that a plugin provides, by the plugin's id. `agent.commands()` lists them. */
export function userCommandsKey(plugin: string): ServiceKey<UserCommands> {
  return serviceKey(`${prefix}${plugin}`);
}

/** Whether a service was provided under such a key. */
export function isUserCommands(name: string, _service: unknown): _service is UserCommands {
  return name.startsWith(prefix);
}
