import type { AvailableCommand, ContentBlock } from '@agentclientprotocol/sdk';
import type { Input } from '@shallot/core';

import { ownCommands, type OwnCommand, type OwnCommandParts } from './own-commands.ts';
import type { EditorAgent, EditorContext } from './served-agent.ts';

/** The run for which commands are listed. */
interface RunOfCommands {
  readonly sessionId: string;
  readonly context: EditorContext;
}

/** A command as it was called: one of the session, or the input of a run. */
export type CalledCommand =
  | { readonly is: 'own'; readonly run: (parts: OwnCommandParts) => Promise<string> }
  | { readonly is: 'input'; readonly input: Input };

/**
 * Returns the commands of the session, and those of the agent's plugins, such as its skills. If the name of a
 * plugin's command is taken, its kind becomes a part of the name.
 */
export async function slashCommands(
  agent: EditorAgent,
  run: RunOfCommands,
  canReload: boolean,
): Promise<AvailableCommand[]> {
  const own = Object.values(ownCommands).filter(({ name }) => canReload || name !== 'reload');
  const commands = await namedCommands(agent, run);
  return [
    ...own.map(({ name, about, hint }) => ({
      name,
      description: about,
      input: hint === undefined ? null : { hint },
    })),
    ...commands.map(([name, { about }]) => ({ name, description: about, input: { hint: 'text' } })),
  ];
}

/** Returns true for a prompt that may call a command: a single text that begins with a slash. */
export function isCommand([block, ...others]: readonly ContentBlock[]): boolean {
  return block?.type === 'text' && others.length === 0 && block.text.startsWith('/');
}

/** Returns the command that a prompt calls by `/name`; undefined if it calls none. */
export async function calledCommand(
  [block]: readonly ContentBlock[],
  agent: EditorAgent,
  run: RunOfCommands,
): Promise<CalledCommand | undefined> {
  const [, called = '', rest = ''] = /^\/(\S+)\s*(.*)$/s.exec(block?.type === 'text' ? block.text : '') ?? [];
  const text = rest.trim();
  const own: OwnCommand | undefined = Object.hasOwn(ownCommands, called) ? ownCommands[called] : undefined;
  if (own !== undefined) return { is: 'own', run: (parts) => own.run(parts, text) };
  const found = (await namedCommands(agent, run)).find(([name]) => name === called);
  return found && { is: 'input', input: await found[1].input(text) };
}

async function namedCommands(agent: EditorAgent, run: RunOfCommands) {
  const taken = new Set<string>(Object.keys(ownCommands));
  return (await agent.commands(run)).map((command) => {
    const name = taken.has(command.name) ? `${command.kind}:${command.name}` : command.name;
    taken.add(name);
    return [name, command] as const;
  });
}
