import { makeProject, type Project } from '../project.ts';
import type { OnPseudoTerminal, OnTerminal } from '../terminal.ts';

export const keys = {
  enter: '\r',
  altEnter: '\u001b\r',
  tab: '\t',
  up: '\u001b[A',
  down: '\u001b[B',
  left: '\u001b[D',
  ctrlA: '\u0001',
  ctrlC: '\u0003',
  ctrlD: '\u0004',
  ctrlW: '\u0017',
  ctrlZ: '\u001A',
} as const;

/** Returns the bytes that a terminal sends for pasted text. */
export function paste(text: string): string {
  return `\u001b[200~${text.replaceAll('\n', '\r')}\u001b[201~`;
}

/** Makes a project whose model answers each request with a function; `answer` is its JavaScript source. */
export function chatProject(answer: string, more: Readonly<Record<string, string>> = {}): Project {
  return makeProject({
    'shallot.config.yaml': 'name: test\nmodel: ./model.ts\nlog: silent\n',
    'model.ts': `
      import { scriptedModel } from '@shallot/testing';
      const textOf = ({ content }) => content[0].text;
      const asked = ({ messages }) => textOf(messages.findLast(({ role }) => role === 'user'));
      export default scriptedModel(Array(99).fill(${answer}));`,
    ...more,
  });
}

/** Answers with the message as JSON in inline code, so that a test sees every character of it. */
export const echo = "(request) => ({ text: '`heard ' + JSON.stringify(asked(request)) + '`' })";

/** Starts a chat on a terminal and waits until it takes input. */
export async function openChat(
  project: Project,
  args: readonly string[] = [],
  options: Parameters<Project['onTerminal']>[1] = {},
): Promise<OnTerminal> {
  const terminal = project.onTerminal(['chat', ...args], options);
  await terminal.seen('> ');
  return terminal;
}

/** Starts a chat as a process on a pseudo-terminal and waits until it takes input. */
export async function openPseudoChat(
  project: Project,
  args: readonly string[] = [],
  options: Parameters<Project['onPseudoTerminal']>[1] = {},
): Promise<OnPseudoTerminal> {
  const terminal = project.onPseudoTerminal(['chat', ...args], options);
  await terminal.seen('> ');
  return terminal;
}
