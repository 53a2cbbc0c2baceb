import type { Message } from '../contract/messages.ts';
import type { KnownSession } from '../sessions/content/known-session.ts';

/**
 * Returns a title of up to 80 characters for a session that has had no run: the beginning of the last text of the last
 * user message, or else the name of its first file. Returns undefined for any other session.
 */
export function titleOf(known: KnownSession | undefined, input: readonly Message[]): string | undefined {
  if (known?.content.run !== undefined) return undefined;
  const content = input.findLast(({ role }) => role === 'user')?.content ?? [];
  // Clients may put earlier messages into separate parts.
  const text = content.findLast((part) => part.type === 'text');
  const file = content.find((part) => part.type === 'file');
  const line = [text?.text, file?.name].map((each) => each?.trim().replaceAll(/\s+/g, ' ')).find(Boolean);
  return line?.replace(/^(.{79}).{2,}$/u, '$1…');
}
