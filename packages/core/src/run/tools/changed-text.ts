import { textPart, type TextPart } from '../../contract/messages.ts';
import type { JournalledCall } from '../../contract/store.ts';

/** Returns a note for the model if the executed call differs from the one that the model made; else an empty list. */
export function changedText({ done }: { readonly done?: JournalledCall }): readonly TextPart[] {
  if (done === undefined) return [];
  const call = `${done.name} with ${JSON.stringify(done.input)}`;
  return [textPart(`This call was changed before it was executed. The executed call is ${call}`)];
}
