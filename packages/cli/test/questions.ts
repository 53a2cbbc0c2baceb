import type { OnTerminal } from './terminal.ts';

const enter = '\r';

/** Chooses the answer with index `nth`, as soon as the question takes keys. */
export async function choose(terminal: OnTerminal, question: string | RegExp, nth: number): Promise<void> {
  await terminal.seen(then(question, 'Enter decides'));
  terminal.type(String(nth + 1));
  await terminal.seen(then(question, `› ${nth + 1} `));
  terminal.type(enter);
}

/** Selects answers by their numbers, which start at 1, as soon as the question takes keys. */
export async function chooseSeveral(
  terminal: OnTerminal,
  question: string,
  numbers: readonly number[],
): Promise<void> {
  await terminal.seen(then(question, 'Enter answers'));
  terminal.type(numbers.join(''));
  await terminal.seen(then(question, `${numbers.at(-1)} \\[x\\]`));
  terminal.type(enter);
}

/** Types a further answer to a question, for example the reason after a decision. */
export async function goOnWith(terminal: OnTerminal, question: string, text: string): Promise<void> {
  await terminal.seen(then(question, text === '' ? 'Enter answers' : ''));
  terminal.type(`${text}${enter}`);
}

function then(question: string | RegExp, later: string): RegExp {
  const source =
    typeof question === 'string'
      ? question.replaceAll(/[.?*+()[\]{}|^$\\]/g, String.raw`\$&`)
      : question.source;
  return new RegExp(`${source}.*(?:${later})`, 's');
}
