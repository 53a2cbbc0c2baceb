import { safeName, type Message } from '@shallot/core';
import type { Files } from '@shallot/core/files';

import { formatSection, formatTitle, parseHistory } from './history-format.ts';

/** What is known of a history file since it was last written. */
export interface Offloaded {
  /** The id of the last message that is in it and may still be in the session. */
  readonly last: string;
  readonly revision: string;
}

/** The file of a session. Different sessions have different ones. */
export function historyPath(directory: string, sessionId: string): string {
  return `${directory === '/' ? '' : directory.replace(/\/+$/, '')}/${safeName(sessionId)}.md`;
}

/**
 * Appends messages to the file of a session. The file is read only if it is not as it was left, after a crash for
 * instance: messages that are in it already are not written again. Gives the file's revision.
 */
export async function appendHistory(
  files: Files,
  path: string,
  {
    sessionId,
    title,
    messages,
  }: { readonly sessionId: string; readonly title: string; readonly messages: readonly Message[] },
  knownRevision: string | undefined,
): Promise<string> {
  const there = await files.stat(path);
  if (there === undefined) {
    return files.append(path, formatTitle(sessionId) + formatSection(title, messages));
  }
  if (there.revision === knownRevision) {
    return messages.length === 0 ? there.revision : files.append(path, formatSection(title, messages));
  }
  const { text, revision } = await files.readText(path);
  const { sections, end } = parseHistory(text);
  const written = new Set(sections.flatMap((section) => section.messages.map(({ id }) => id)));
  const missing = messages.filter(({ id }) => !written.has(id));
  // A section that was cut off would swallow the next one.
  const whole =
    end === text.length ? revision : await files.write(path, text.slice(0, end), { ifRevision: revision });
  return missing.length === 0 ? whole : files.append(path, formatSection(title, missing));
}
