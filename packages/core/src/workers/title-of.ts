import type { Message } from '../contract/messages.ts';
import type { SessionAbout } from '../contract/store.ts';
import { maxAboutBytes, sizeOfAbout } from '../sessions/content/about-size.ts';
import type { KnownSession } from '../sessions/content/known-session.ts';

/** The maximum length of a title made from an input, in characters. */
const maxLength = 80;

/**
 * Returns a title for a session that has had no run: the beginning of the last text of the last user message, or else
 * the name of its first file, as far as the other notes of the session leave room. Returns undefined for any other
 * session, and if there is no room.
 */
export function titleOf(
  known: KnownSession | undefined,
  input: readonly Message[],
  notes: SessionAbout | undefined,
): string | undefined {
  if (known?.content.run !== undefined) return undefined;
  const content = input.findLast(({ role }) => role === 'user')?.content ?? [];
  // Clients may put earlier messages into separate parts.
  const text = content.findLast((part) => part.type === 'text');
  const file = content.find((part) => part.type === 'file');
  const line = [text?.text, file?.name].map(onOneLine).find(Boolean);
  return line === undefined ? undefined : shortened(line, { ...notes, title: '' });
}

function onOneLine(text = ''): string {
  return text.replaceAll(/[\p{Cc}\p{Cs}\s]+/gu, ' ').trim();
}

function shortened(line: string, notes: SessionAbout): string | undefined {
  const room = maxAboutBytes - sizeOfAbout(notes);
  const fits = (title: string): boolean => sizeOfAbout({ title }) - sizeOfAbout({ title: '' }) < room;
  // A character has at most two UTF-16 units.
  const characters = Array.from(line.slice(0, 2 * (maxLength + 1)));
  if (characters.length <= maxLength && fits(line)) return line;
  const kept = characters.slice(0, maxLength - 1);
  while (kept.length > 0 && !fits(`${kept.join('')}…`)) kept.pop();
  return kept.length === 0 ? undefined : `${kept.join('')}…`;
}
