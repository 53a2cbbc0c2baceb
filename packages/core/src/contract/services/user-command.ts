import type { Files } from '../../files/files.ts';
import type { Input } from '../messages.ts';
import { serviceKey, type ServiceKey } from '../plugin.ts';
import type { RunIdentity } from '../run-info.ts';

/** A command that users call by name instead of sending a message, such as `/name` in a chat. */
export interface UserCommand {
  readonly name: string;
  /** The kind of command, such as `skill`: it is called `/skill:name` if `/name` is taken. */
  readonly kind: string;
  /** The description for users. */
  readonly about: string;
  /** Returns the input for a run; `text` is the text after the name. */
  readonly input: (text: string) => Input | Promise<Input>;
}

/** The run in which commands could be called. It may never begin. */
export interface RunToCome extends RunIdentity {
  /** The agent's files, or those of the run. */
  readonly files: Files;
}

/** The commands of a plugin. */
export interface UserCommands {
  readonly list: (run: RunToCome) => readonly UserCommand[] | Promise<readonly UserCommand[]>;
}

const prefix = 'shallot/user-commands/';

/** Returns the key for a plugin's commands, by the plugin's id. `agent.commands()` lists them. */
export function userCommandsKey(plugin: string): ServiceKey<UserCommands> {
  return serviceKey(`${prefix}${plugin}`);
}

/** Returns true for a service that is provided under a `userCommandsKey`. */
export function isUserCommands(name: string, _service: unknown): _service is UserCommands {
  return name.startsWith(prefix);
}
