import { dirname, join } from 'node:path';

import type { Input } from '@shallot/core';

import { chatHint } from '../asking/answer-hints.ts';
import { Keyboard } from '../keyboard/keyboard.ts';
import { noteFailure, noteWarning } from '../rendering/note-failure.ts';
import { exitStatus, signalStatus } from '../terminal/exit-status.ts';
import { leave } from '../terminal/leave.ts';
import { canAsk, PromptLeft } from '../terminal/prompts.ts';
import type { Screen } from '../terminal/screen.ts';
import { watchStopSignals, type StopSignals } from '../terminal/stop-signals.ts';
import { withAgent, type OpenedAgent } from '../work/with-agent.ts';
import { attachFiles, notTaken } from './attach-files.ts';
import type { ChatOptions } from './chat-options.ts';
import { Chat } from './chat.ts';
import type { Desk } from './desk.ts';
import { fileHistory, type History } from './history.ts';
import { pipedDesk } from './piped-desk.ts';
import { refuseTwoSessions, sessionToContinue } from './session-to-continue.ts';
import { commandAtOnce, slashCommandIn, slashNames } from './slash-commands.ts';
import { TerminalDesk } from './terminal-desk.ts';
import { userCommandIn, userCommandName, type CalledCommand } from './user-commands.ts';

/**
 * `shallot chat`: a conversation on a terminal; otherwise one message per line of stdin. Returns the exit status: on a
 * terminal by the way the chat was left, otherwise that of the last message that did not complete.
 */
export async function chatCommand(options: ChatOptions, screen: Screen): Promise<number> {
  refuseTwoSessions(options);
  // A terminal without cursor movement is read like a pipe.
  return canAsk(screen.io) && screen.io.env.TERM !== 'dumb'
    ? chatOnTerminal(options, screen)
    : chatByLines(options, screen);
}

async function chatOnTerminal(options: ChatOptions, screen: Screen): Promise<number> {
  const keyboard = new Keyboard(screen.io.stdin);
  const left = new AbortController();
  const stop = watchStopSignals(() => undefined, ['SIGTERM', 'SIGHUP']);
  const signal = AbortSignal.any([stop.signal, screen.broken, keyboard.gone, left.signal]);
  const onSigint = (): void => keyboard.interrupt();
  process.on('SIGINT', onSigint);
  const unwatch = keyboard.watchInterrupt(() => left.abort());
  const stopped = (): number =>
    keyboard.gone.aborted ? (stop.status ?? signalStatus('SIGHUP')) : statusOfStop(stop, screen);
  let names = slashNames;
  let history: History | undefined;
  const desk = new TerminalDesk({
    screen,
    keyboard,
    history: () => history,
    names: () => names,
    signal,
    onImpatience: () => {
      keyboard.end();
      leave(signalStatus('SIGINT'));
    },
  });
  keyboard.open();
  try {
    return await withAgent(options, { screen, signal, ask: desk.ask, showsRuns: true }, async (opened) => {
      unwatch();
      const path = join(dirname(opened.path), '.shallot', 'chat-history.jsonl');
      history = fileHistory(path, {
        redact: opened.agent.redactor.text,
        onTrouble: (error) => noteWarning(error, screen),
      });
      const listNames = ({ agent, sessionId }: Chat): void => {
        // The chat reports errors when the list is requested.
        agent.commands({ sessionId }).then(
          (commands) =>
            (names = [...slashNames, ...commands.map((each) => userCommandName(each, slashNames))]),
          () => {},
        );
      };
      const status = await converse(opened, { options, screen, desk, signal, onCommands: listNames });
      return signal.aborted ? stopped() : status;
    });
  } catch (error) {
    if (error !== signal.reason || !signal.aborted) throw error;
    return stopped();
  } finally {
    process.off('SIGINT', onSigint);
    stop.end();
    keyboard.end();
  }
}

function statusOfStop(stop: StopSignals, screen: Screen): number {
  if (stop.status !== undefined) return stop.status;
  return signalStatus(screen.broken.aborted ? 'SIGPIPE' : 'SIGINT');
}

async function chatByLines(options: ChatOptions, screen: Screen): Promise<number> {
  const stop = watchStopSignals(() => screen.note('Stopping … (press again to end it now)'));
  const signal = AbortSignal.any([stop.signal, screen.broken]);
  const desk = pipedDesk(screen.io.stdin, signal);
  try {
    const status = await withAgent(options, { screen, signal, showsRuns: true }, (opened) =>
      converse(opened, { options, screen, desk, signal, onCommands: () => {} }),
    );
    return signal.aborted ? statusOfStop(stop, screen) : status;
  } catch (error) {
    if (error !== signal.reason || !signal.aborted) throw error;
    return statusOfStop(stop, screen);
  } finally {
    desk.close();
    stop.end();
  }
}

interface Conversation {
  readonly onCommands: (chat: Chat) => void;
  readonly options: ChatOptions;
  readonly screen: Screen;
  readonly desk: Desk;
  readonly signal: AbortSignal;
}

async function converse(
  opened: OpenedAgent,
  { options, screen, desk, signal, onCommands }: Conversation,
): Promise<number> {
  const { agent } = opened;
  let sessionId: string | undefined;
  try {
    sessionId = await sessionToContinue(options, opened, { desk, screen });
  } catch (error) {
    // A person who wanted to continue a session, and chose none, wants no new one.
    if (error instanceof PromptLeft) return exitStatus.completed;
    throw error;
  }
  const chat = new Chat({ opened, sessionId, onCommands, commandAtOnce, screen, options, desk });
  onCommands(chat);
  const { dim } = screen.paintNotes;
  if (desk.asks && !options.quiet) {
    screen.note(`${screen.paintNotes.bold(agent.name)}  ${agent.model.id}`);
    screen.note(dim('/help shows the commands; Ctrl-D exits'));
  }
  await chat.welcome();
  const status = await listenAndAnswer(chat, desk, signal);
  if (desk.asks && !options.quiet && (await chat.view().catch(() => undefined)) !== undefined)
    screen.note(dim(`Continue later: ${chatHint(chat.sessionId, options, screen)}`));
  return status;
}

async function listenAndAnswer(chat: Chat, desk: Desk, signal: AbortSignal): Promise<number> {
  let status: number = exitStatus.completed;
  /** True after Ctrl-C: a second one leaves the chat. */
  let interrupted = false;
  while (!signal.aborted) {
    const written = await desk.next();
    if (written.type === 'end') return status;
    if (written.type === 'interrupt') {
      if (interrupted) return signalStatus('SIGINT');
      interrupted = true;
      chat.screen.note(chat.screen.paintNotes.dim('(press Ctrl-C again, Ctrl-D or /quit to exit)'));
      continue;
    }
    interrupted = false;
    if (written.text.trim() === '') continue;
    desk.remember(written.text);
    const answered = await answer(written.text, chat, desk);
    if (answered === 'leave') return status;
    interrupted = answered === signalStatus('SIGINT');
    if (desk.asks || answered === exitStatus.completed) continue;
    status = answered;
    // Nobody can answer, so every further message would be rejected.
    if (answered === exitStatus.waiting) return status;
  }
  return status;
}

/**
 * Returns the exit status of a message or a plugin's command; 0 for other commands, or `leave` for one that ends the chat.
 */
async function answer(text: string, chat: Chat, desk: Desk): Promise<number | 'leave'> {
  const command = slashCommandIn(text);
  if (text.startsWith('/') && (command === undefined || 'problem' in command)) {
    const called = userCommandIn(text, await chat.commands(), slashNames);
    if (called !== undefined) return call(called, text, chat);
  }
  if (command === undefined) return send(text, chat, desk);
  if ('problem' in command) {
    chat.screen.note(`${chat.screen.paintNotes.red('error')} ${command.problem}`);
    return exitStatus.completed;
  }
  try {
    return (await command.run(chat)) ?? exitStatus.completed;
  } catch (error) {
    noteFailure(error, chat.screen);
    return exitStatus.completed;
  }
}

/** Sends a message with the files that it mentions; puts one that cannot be sent back into the line. */
async function send(text: string, chat: Chat, desk: Desk): Promise<number> {
  const { screen, agent } = chat;
  const attached = attachFiles(text.trim(), screen.io.cwd);
  if ('input' in attached) {
    for (const note of notTaken(attached.input, agent.model)) screen.note(screen.paintNotes.dim(note));
    return chat.send(attached.input, text);
  }
  for (const problem of attached.problems) screen.note(`${screen.paintNotes.red('error')} ${problem}`);
  screen.note('The message was not sent.');
  desk.putBack(text);
  return exitStatus.usage;
}

async function call({ command, text }: CalledCommand, typed: string, chat: Chat): Promise<number> {
  let input: Input;
  try {
    input = await command.input(text);
  } catch (error) {
    return noteFailure(error, chat.screen);
  }
  return chat.send(input, typed);
}
