import type { Interrupt } from '@shallot/core';
import { type DecisionKind, visible } from '@shallot/core/plugin';
import { approvalOf } from '@shallot/core/work';

import { calledAs } from '../terminal/called-as.ts';
import type { Screen } from '../terminal/screen.ts';
import { shellWord } from '../terminal/shell-word.ts';
import { visibleLine } from '../terminal/visible.ts';
import type { AgentCommandOptions } from './config-loading.ts';
import { exampleAnswers } from './example-answers.ts';

const decisionCommands: Readonly<Record<DecisionKind, (question: string) => string>> = {
  approve: (question) => `approve ${question}`,
  edit: (question) => `approve ${question} --edit-args '{ … }'`,
  reject: (question) => `reject ${question} --reason '…'`,
  respond: (question) => `answer ${question} '{ "decision": "respond", "content": "…" }'`,
};

/** The part of a screen from which the hints see how the command was called. */
type Called = Pick<Screen, 'io'>;

/**
 * Returns a command for each decision of an approval. For other questions, returns example commands, then a line with the
 * schema of the answer.
 */
export function answerHints(
  interrupt: Interrupt,
  { config }: AgentCommandOptions,
  { io }: Called,
): readonly string[] {
  const question = `${shellWord(interrupt.id)}${configOption(config)}`;
  const program = calledAs(io.env);
  const approval = approvalOf(interrupt);
  if (approval !== undefined)
    return approval.decisions.map((kind) => `${program} ${decisionCommands[kind](question)}`);
  const examples = exampleAnswers(interrupt.answerSchema).map(({ answer, description }) => {
    const about = description === undefined ? '' : `  # ${visibleLine(description)}`;
    return `${program} answer ${question} ${visibleLine(shellWord(JSON.stringify(answer)))}${about}`;
  });
  return [
    ...(examples.length > 0 ? examples : [`${program} answer ${question} '…'`]),
    `  JSON of ${visible(JSON.stringify(interrupt.answerSchema))}`,
  ];
}

/** Returns the command that resumes a session. */
export function resumeHint(sessionId: string, { config }: AgentCommandOptions, { io }: Called): string {
  return `${calledAs(io.env)} resume ${visibleLine(shellWord(sessionId))}${configOption(config)}`;
}

/** Returns the command that continues a session in a chat. */
export function chatHint(sessionId: string, { config }: AgentCommandOptions, { io }: Called): string {
  return `${calledAs(io.env)} chat --session ${visibleLine(shellWord(sessionId))}${configOption(config)}`;
}

function configOption(config: string | undefined): string {
  return config === undefined ? '' : ` -c ${visibleLine(shellWord(config))}`;
}
