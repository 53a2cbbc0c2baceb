import { count } from '../terminal/count.ts';
import { PromptLeft, terminalPrompts, type Choice } from '../terminal/prompts.ts';
import type { Screen } from '../terminal/screen.ts';
import { visibleLine } from '../terminal/visible.ts';

export type Way = 'go-on' | 'abandon' | 'later';

export interface Unsettled {
  readonly sessionId: string;
  /** The number of open questions; none when the run's process died. */
  readonly open: number;
  readonly screen: Screen;
  readonly signal: AbortSignal;
}

/** Asks what becomes of a run that an earlier process has left unfinished. */
export async function chooseWay({ sessionId, open, screen, signal }: Unsettled): Promise<Way> {
  const questions = count(open, 'question');
  const goOn: Choice<Way> =
    open > 0
      ? { value: 'go-on', label: `Answer ${open === 1 ? 'it' : 'them'}`, hint: 'then the run goes on' }
      : { value: 'go-on', label: 'Go on with it', hint: 'nothing that was done is done again' };
  const choices: readonly Choice<Way>[] = [
    goOn,
    {
      value: 'abandon',
      label: 'Give it up',
      hint: 'its open calls are answered "not executed" with your next message',
    },
    { value: 'later', label: 'Leave it', hint: 'until later; a message will ask again' },
  ];
  const what =
    open > 0
      ? `A run of session ${visibleLine(sessionId)} waits for answers to ${questions}.`
      : `A run of session ${visibleLine(sessionId)} has not come to its end: its process died.`;
  try {
    const prompts = await terminalPrompts(screen.io, signal);
    return await prompts.choose(what, choices);
  } catch (error) {
    if (error instanceof PromptLeft) return 'later';
    throw error;
  }
}
