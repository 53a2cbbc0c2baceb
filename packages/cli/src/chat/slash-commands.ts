import type { SessionView } from '@shallot/core';
import { nearest } from '@shallot/core/plugin';

import { chatHint } from '../asking/answer-hints.ts';
import { noteFailure } from '../rendering/note-failure.ts';
import { shortPath } from '../terminal/place.ts';
import { columnsOf } from '../terminal/terminal-width.ts';
import { visibleLine } from '../terminal/visible.ts';
import { wrapWords } from '../terminal/wrap-words.ts';
import { childLines } from '../work/child-lines.ts';
import type { Chat } from './chat.ts';
import { usageLines } from './usage-lines.ts';
import { userCommandName } from './user-commands.ts';

/** A command that can be typed instead of a message. */
export interface SlashCommand {
  readonly name: string;
  readonly about: string;
  /** The argument, if it takes one; it may be left out. */
  readonly argument?: string;
  /** True if it need not wait for the end of the run in progress. Default: false. */
  readonly isAtOnce?: boolean;
  /** Runs the command with its argument, or an empty string. Returns `leave` to end the chat. */
  readonly run: (chat: Chat, text: string) => Promise<'leave' | void> | 'leave' | void;
}

/** A command as typed. */
export interface CalledSlashCommand {
  /** True if it works during a run. */
  readonly isAtOnce: boolean;
  readonly run: (chat: Chat) => Promise<'leave' | void> | 'leave' | void;
}

const slashCommands: readonly SlashCommand[] = [
  { name: '/help', about: 'shows this help', run: help },
  { name: '/plugins', about: 'lists the plugins, outermost first', run: plugins },
  { name: '/title', argument: 'text', about: 'shows the title of the session, or sets it', run: title },
  { name: '/session', about: 'shows the session, and how to return to it', run: session },
  { name: '/pending', about: 'shows the open questions, and takes answers', run: (chat) => chat.settle() },
  { name: '/resume', about: 'continues a run that was stopped or failed', run: (chat) => chat.resume() },
  { name: '/model', argument: 'name', about: 'shows the model, or changes it for this session', run: model },
  {
    name: '/mode',
    argument: 'mode',
    about: 'shows the mode, or changes it: read-only, ask or edits',
    run: mode,
  },
  {
    name: '/permissions',
    about: 'shows the rules about calls: what is executed, asked about and refused',
    run: permissions,
  },
  {
    name: '/agents',
    argument: 'session',
    about: 'lists the subagents, shows what one has done, or stops it: /agents stop ID',
    isAtOnce: true,
    run: agents,
  },
  { name: '/usage', about: 'shows the token usage of this session', run: usage },
  {
    name: '/reload',
    about: 'reads the config and its files again',
    run: async (chat) => void (await chat.reload()),
  },
  { name: '/new', about: 'starts another session', run: (chat) => chat.begin() },
  { name: '/quit', about: 'exits, like Ctrl-D', run: () => 'leave' },
];

/** Reserved names: a plugin's command with one of these gets a longer name. */
export const slashNames: readonly string[] = slashCommands.map(({ name }) => name);

/** The most plugin commands shown. */
const maxShown = 20;
/** The most characters of a command's description shown. */
const maxAbout = 200;

const escape = 'To send a message that starts with a slash, put a space before it.';

/** Returns the command in a text, or the problem with it; undefined for a message. */
export function slashCommandIn(text: string): CalledSlashCommand | { readonly problem: string } | undefined {
  const [, name, more = ''] = /^(\/[\w-]*)(?:\s+(.*))?$/s.exec(text) ?? [];
  if (name === undefined) return undefined;
  const command = slashCommands.find((known) => known.name === name);
  if (command !== undefined && (more === '' || command.argument !== undefined))
    return { isAtOnce: command.isAtOnce === true, run: (chat) => command.run(chat, more.trim()) };
  if (command !== undefined) return { problem: `${name} takes no arguments. ${escape}` };
  const meant = nearest(
    name,
    slashCommands.map((known) => known.name),
  );
  const hint = meant === undefined ? 'See /help.' : `Did you mean ${meant}?`;
  return {
    problem: `There is no command ${name}. ${hint} ${escape}`,
  };
}

async function help(chat: Chat): Promise<void> {
  const { screen } = chat;
  const { bold, dim } = screen.paintNotes;
  const columns = columnsOf(screen.io.stderr);
  const width = Math.max(...slashNames.map((name) => name.length));
  for (const { name, about } of slashCommands) {
    const lines = wrapWords(about, columns - width - 1).split('\n');
    screen.note(`${bold(name.padEnd(width))} ${lines.join(`\n${' '.repeat(width + 1)}`)}`);
  }
  await showUserCommands(chat);
  for (const line of [
    'For a new line, end a line with a backslash, or press Alt-Enter or Ctrl-J. Up and Down: earlier messages. Tab: a command, or a file after @.',
    'During an answer, Enter sends a message that the run reads in its next step; Up takes it back. Esc stops the answer and sends the message.',
    'Ctrl-C stops an answer or clears the line; press it twice to exit.',
  ]) {
    screen.note(dim(wrapWords(line, columns)));
  }
}

async function showUserCommands(chat: Chat): Promise<void> {
  const { screen } = chat;
  const commands = await chat.commands();
  for (const command of commands.slice(0, maxShown)) {
    const name = visibleLine(userCommandName(command, slashNames));
    const about = visibleLine(command.about).slice(0, maxAbout);
    screen.note(`${screen.paintNotes.bold(name)}  ${about}`);
  }
  if (commands.length > maxShown) screen.note(`… and ${commands.length - maxShown} more`);
}

function plugins({ agent, screen }: Chat): void {
  const list = agent.plugins;
  if (list.length === 0) screen.note('There are no plugins.');
  for (const { id, version = '', priority, source } of list) {
    const values = [...new Set(Object.values(priority))].join('/');
    screen.note(
      `${id} ${version}  ${values}  ${screen.paintNotes.dim(shortPath(source.from, screen.io.cwd))}`,
    );
  }
}

async function model(chat: Chat, name: string): Promise<void> {
  if (name !== '') return chat.chooseModel(name);
  const { agent, screen } = chat;
  const { id, limits } = agent.model;
  const context = limits?.contextTokens;
  screen.note(context === undefined ? id : `${id}  ${context.toLocaleString('en')} tokens of context`);
}

async function mode(chat: Chat, text: string): Promise<void> {
  if (text !== '') chat.chooseMode(text);
  const { permissions } = chat.agent;
  const shown = permissions?.modeOf(chat.sessionId, (await chat.view())?.state);
  chat.screen.note(shown ?? 'The agent has no plugin that evaluates permissions, and so no modes.');
}

function permissions({ agent, screen }: Chat): void {
  const rules = agent.permissions?.rules() ?? [];
  if (rules.length === 0) screen.note('There are no rules.');
  for (const { list, rule, from } of rules)
    screen.note(`${list.padEnd(5)}  ${visibleLine(rule)}  ${screen.paintNotes.dim(visibleLine(from))}`);
}

async function title(chat: Chat, text: string): Promise<void> {
  if (text !== '') await chat.setTitle(text);
  chat.screen.note(visibleLine((await chat.title()) ?? 'The session has no title yet.'));
}

async function session(chat: Chat): Promise<void> {
  const { screen, options } = chat;
  const view = await chat.view();
  screen.note(`${visibleLine(chat.sessionId)}  ${stateOf(view)}`);
  if (view !== undefined)
    screen.note(screen.paintNotes.dim(`Continue later: ${chatHint(chat.sessionId, options, screen)}`));
}

function stateOf(view: SessionView | undefined): string {
  if (view === undefined) return 'new: nothing is stored yet';
  const { messages, status, interrupts } = view;
  const open = interrupts.length === 0 ? '' : `, ${interrupts.length} open`;
  return `${messages.length} messages${status === undefined ? '' : `, the last run ${status}`}${open}`;
}

/** Executes a command that need not wait for the end of a run. Returns false for any other text. */
export async function commandAtOnce(chat: Chat, text: string): Promise<boolean> {
  const command = slashCommandIn(text);
  if (command === undefined || 'problem' in command || !command.isAtOnce) return false;
  try {
    await command.run(chat);
  } catch (error) {
    noteFailure(error, chat.screen);
  }
  return true;
}

async function agents(chat: Chat, text: string): Promise<void> {
  const { screen } = chat;
  const [, isStop, childId = ''] = /^(?:(stop)\s+)?(.*)$/.exec(text) ?? [];
  if (isStop !== undefined) {
    const isStopping = await chat.stopChild(childId);
    const name = visibleLine(childId);
    return screen.note(
      isStopping ? `${name} stops after its step.` : `No subagent ${name} is working. See /agents.`,
    );
  }
  if (childId !== '') {
    const unknown = `There is no subagent ${visibleLine(childId)} in this session. See /agents.`;
    return screen.note((await chat.transcriptOf(childId)) ?? unknown);
  }
  const lines = childLines(await chat.children());
  for (const line of lines.length === 0 ? ['The session has no subagents.'] : lines) screen.note(line);
}

async function usage(chat: Chat): Promise<void> {
  const view = await chat.view();
  for (const line of usageLines(view?.usage)) chat.screen.note(line);
}
