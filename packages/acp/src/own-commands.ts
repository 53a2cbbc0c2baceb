import { setTitle } from '@shallot/core/work';

import type { EditorAgent, ServedAgent } from './served-agent.ts';

/** The parts of a session that its commands use. */
export interface OwnCommandParts {
  readonly sessionId: string;
  readonly agent: EditorAgent;
  readonly served: ServedAgent;
  /** Reads the config again, and tells the editor what has changed. */
  readonly reload: () => Promise<void>;
}

/** A command about the session, which is answered without a run. */
export interface OwnCommand {
  readonly name: string;
  readonly about: string;
  /** The hint for its argument, if it takes one. */
  readonly hint?: string;
  /** Returns the answer. */
  readonly run: (parts: OwnCommandParts, text: string) => Promise<string>;
}

const commands: readonly OwnCommand[] = [
  { name: 'title', about: 'shows the title of the session, or sets it', hint: 'title', run: title },
  { name: 'usage', about: 'shows the token usage of this session', run: usage },
  { name: 'plugins', about: 'lists the plugins, outermost first', run: plugins },
  { name: 'permissions', about: 'shows the rules about calls', run: permissions },
  { name: 'reload', about: 'reads the config and its files again', run: reload },
];

/** The commands by name. They are called like those of a chat in the terminal. */
export const ownCommands: Readonly<Record<string, OwnCommand>> = Object.fromEntries(
  commands.map((command) => [command.name, command]),
);

async function title({ sessionId, served: { store } }: OwnCommandParts, text: string): Promise<string> {
  if (text !== '') await setTitle(store, sessionId, text);
  for await (const { about } of store.list({ id: sessionId, limit: 1 }))
    if (about?.title !== undefined) return about.title;
  return 'The session has no title yet.';
}

async function usage({ agent, sessionId }: OwnCommandParts): Promise<string> {
  const used = (await agent.session(sessionId))?.usage;
  if (used === undefined || used.modelCalls === 0) return 'No model call has finished in this session.';
  const { input, output, total, modelCalls, cost } = used;
  const price = cost === undefined ? '' : `, $${cost.toFixed(4)}`;
  return `${total} tokens: ${input} in, ${output} out, in ${modelCalls} model calls${price}`;
}

async function plugins({ agent }: OwnCommandParts): Promise<string> {
  const lines = agent.plugins.map(({ id, version }) => `- ${id} ${version ?? ''}`.trimEnd());
  return lines.length === 0 ? 'There are no plugins.' : lines.join('\n');
}

async function permissions({ agent }: OwnCommandParts): Promise<string> {
  const rules = agent.permissions?.rules() ?? [];
  const lines = rules.map(({ list, rule, from }) => `- ${list} \`${rule}\` (${from})`);
  return lines.length === 0 ? 'There are no rules.' : lines.join('\n');
}

async function reload({ served, reload: again }: OwnCommandParts): Promise<string> {
  if (served.reload === undefined) return 'The program that serves this agent cannot read its config again.';
  await again();
  return 'Reloaded: the next messages are answered with the config as it is now.';
}
