import { count } from '../terminal/count.ts';
import { PromptLeft, type Choice, type Prompts } from '../terminal/prompts.ts';
import { visibleLine } from '../terminal/visible.ts';

export type Way = 'go-on' | 'abandon' | 'later';

export interface Unsettled {
  readonly sessionId: string;
  /** The number of open questions; 0 if the process of the run died. */
  readonly open: number;
  readonly prompts: Prompts;
}

/** Asks what to do with an unfinished run of an earlier process. */
export async function chooseWay({ sessionId, open, prompts }: Unsettled): Promise<Way> {
  const questions = count(open, 'question');
  const goOn: Choice<Way> =
    open > 0
      ? { value: 'go-on', label: `Answer ${open === 1 ? 'it' : 'them'}`, hint: 'then the run continues' }
      : { value: 'go-on', label: 'Continue', hint: 'completed work is not repeated' };
  const choices: readonly Choice<Way>[] = [
    goOn,
    {
      value: 'abandon',
      label: 'Abandon it',
      hint: 'your next message marks its open calls "not executed"',
    },
    { value: 'later', label: 'Later', hint: 'your next message asks again' },
  ];
  const what =
    open > 0
      ? `A run of session ${visibleLine(sessionId)} is waiting for answers to ${questions}.`
      : `A run of session ${visibleLine(sessionId)} did not finish: its process died.`;
  try {
    return await prompts.choose(what, choices);
  } catch (error) {
    if (error instanceof PromptLeft) return 'later';
    throw error;
  }
}
