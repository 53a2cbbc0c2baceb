import type { UserCommand } from '@shallot/core/plugin';

/** A command of a plugin, and the text after its name. */
export interface CalledCommand {
  readonly command: UserCommand;
  readonly text: string;
}

/** Returns the name of a plugin's command in a chat: `/name`, or `/kind:name` if the name is taken. */
export function userCommandName({ name, kind }: UserCommand, taken: readonly string[]): string {
  return taken.includes(`/${name}`) ? `/${kind}:${name}` : `/${name}`;
}

/** Returns the plugin command that a text calls, by its short or long name; undefined if it calls none. */
export function userCommandIn(
  text: string,
  commands: readonly UserCommand[],
  taken: readonly string[],
): CalledCommand | undefined {
  // A longer name takes precedence over its prefix.
  const byLength = commands.toSorted((one, other) => other.name.length - one.name.length);
  for (const command of byLength) {
    for (const name of [userCommandName(command, taken), `/${command.kind}:${command.name}`]) {
      const rest = text.startsWith(name) ? text.slice(name.length) : undefined;
      if (rest !== undefined && /^(?:\s|$)/.test(rest)) return { command, text: rest.trim() };
    }
  }
  return undefined;
}
