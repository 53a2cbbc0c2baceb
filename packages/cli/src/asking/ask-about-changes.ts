import type { ChangedFile } from '@shallot/core/command';

import { printable } from '../terminal/printable.ts';
import { canAsk, PromptLeft, terminalPrompts } from '../terminal/prompts.ts';
import type { Screen } from '../terminal/screen.ts';

/**
 * Shows files that changed while a session ran, and asks whether to load them. Returns false if nobody can be asked, so that
 * they are refused.
 */
export async function askAboutChanges(files: readonly ChangedFile[], screen: Screen): Promise<boolean> {
  if (screen.json || !canAsk(screen.io)) return false;
  const list = files.map(({ path, change }) => `  ${change}: ${printable(path)}`).join('\n');
  screen.note(`Files that this agent is loaded from changed while one of its sessions ran:\n${list}`);
  const prompts = await terminalPrompts(screen.io, new AbortController().signal);
  try {
    const answer = await prompts.choose('Load them as they are now?', [
      { value: 'no', label: 'No', hint: 'look at them first' },
      { value: 'yes', label: 'Yes' },
    ]);
    return answer === 'yes';
  } catch (error) {
    if (error instanceof PromptLeft) return false;
    throw error;
  }
}
