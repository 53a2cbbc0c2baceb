import type { UserCommand } from '@shallot/core/plugin';

/** A command that a plugin brings, and what a person wrote after its name. */
export interface CalledCommand {
  readonly command: UserCommand;
  readonly text: string;
}

/** What commands of plugins are called in a chat: `/name`, or `/kind:name` where the name is taken. */
export function userCommandName({ name, kind }: UserCommand, taken: readonly string[]): string {
  return taken.includes(`/${name}`) ? `/${kind}:${name}` : `/${name}`;
}

/** The command of a plugin that a text calls, by its short name or the long one; undefined when it calls none. */
export function userCommandIn(
  text: string,
  commands: readonly UserCommand[],
  taken: readonly string[],
): CalledCommand | undefined {
  // Of two names of which one begins with the other, the longer one is meant.
  const byLength = commands.toSorted((one, other) => other.name.length - one.name.length);
  for (const command of byLength) {
    for (const name of [userCommandName(command, taken), `/${command.kind}:${command.name}`]) {
      const rest = text.startsWith(name) ? text.slice(name.length) : undefined;
      if (rest !== undefined && /^(?:\s|$)/.test(rest)) return { command, text: rest.trim() };
    }
  }
  return undefined;
}
