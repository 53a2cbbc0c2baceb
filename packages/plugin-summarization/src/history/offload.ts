import type { Message } from '@shallot/core';
import type { Files } from '@shallot/core/files';

import { formatSection, formatTitle, parseHistory } from './history-format.ts';

/** The state of a history file when it was last written. */
export interface Offloaded {
  /** The id of the last message in the file that may still be in the session. */
  readonly last: string;
  readonly revision: string;
}

/** The directory is the plugin's own, because its options name it. */
const own = { own: true };

/**
 * Appends messages to the history file of a session. The file is read only if its revision is unexpected, for example
 * after a crash; messages that it already contains are not written again. Returns the new revision.
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
  const there = await files.stat(path, own);
  if (there === undefined) {
    return files.append(path, formatTitle(sessionId) + formatSection(title, messages), own);
  }
  if (there.revision === knownRevision) {
    return messages.length === 0 ? there.revision : files.append(path, formatSection(title, messages), own);
  }
  const { text, revision } = await files.readText(path, own);
  const { sections, end } = parseHistory(text);
  const written = new Set(sections.flatMap((section) => section.messages.map(({ id }) => id)));
  const missing = messages.filter(({ id }) => !written.has(id));
  // Removes an incomplete section, which would otherwise include the next one.
  const whole =
    end === text.length
      ? revision
      : await files.write(path, text.slice(0, end), { ifRevision: revision, ...own });
  return missing.length === 0 ? whole : files.append(path, formatSection(title, missing), own);
}
