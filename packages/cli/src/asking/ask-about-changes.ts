import type { ChangedFile } from '@shallot/core/command';

import type { Ask } from '../keyboard/question-prompts.ts';
import { printable } from '../terminal/printable.ts';
import { canAsk, PromptLeft } from '../terminal/prompts.ts';
import type { Screen } from '../terminal/screen.ts';

export interface AskingAboutChanges {
  /** Asks on a terminal that is being read already. Default: the terminal is read for the question. */
  readonly ask?: Ask | undefined;
  /** Called before the question, to end what is shown meanwhile. */
  readonly onQuestion?: () => void;
}

/** Shows files that changed while a session ran, and asks whether to load them. Returns true only if a person agrees. */
export async function askAboutChanges(
  files: readonly ChangedFile[],
  screen: Screen,
  { ask, onQuestion }: AskingAboutChanges,
): Promise<boolean> {
  if (screen.json || !canAsk(screen.io)) return false;
  onQuestion?.();
  const list = files.map(({ path, change }) => `  ${change}: ${printable(path)}`).join('\n');
  screen.note(`Files that this agent is loaded from changed while one of its sessions ran:\n${list}`);
  // Imported lazily, because files rarely change.
  const { terminalAsker } = await import('./terminal-asker.ts');
  const asker = ask ?? terminalAsker(screen, new AbortController().signal);
  try {
    const answer = await asker((prompts) =>
      prompts.choose('Load them as they are now?', [
        { value: 'no', label: 'No', hint: 'look at them first' },
        { value: 'yes', label: 'Yes' },
      ]),
    );
    return answer === 'yes';
  } catch (error) {
    if (error instanceof PromptLeft) return false;
    throw error;
  }
}
