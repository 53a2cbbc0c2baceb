import type { Interrupt } from '@shallot/core';
import { type DecisionKind, visible } from '@shallot/core/plugin';
import { approvalOf } from '@shallot/core/work';

import { shellWord } from '../terminal/shell-word.ts';
import { visibleLine } from '../terminal/visible.ts';
import type { AgentCommandOptions } from './config-loading.ts';
import { exampleAnswers } from './example-answers.ts';

const decisionCommands: Readonly<Record<DecisionKind, (id: string, config: string) => string>> = {
  approve: (id, config) => `shallot approve ${id}${config}`,
  edit: (id, config) => `shallot approve ${id}${config} --edit-args '{ … }'`,
  reject: (id, config) => `shallot reject ${id}${config} --reason '…'`,
  respond: (id, config) => `shallot answer ${id}${config} '{ "decision": "respond", "content": "…" }'`,
};

/** Returns the commands that answer a question, one per line. */
export function answerHints(interrupt: Interrupt, { config }: AgentCommandOptions): readonly string[] {
  const id = shellWord(interrupt.id);
  const approval = approvalOf(interrupt);
  const suffix = configOption(config);
  if (approval !== undefined) return approval.decisions.map((kind) => decisionCommands[kind](id, suffix));
  const examples = exampleAnswers(interrupt.answerSchema).map(({ answer, description }) => {
    const about = description === undefined ? '' : `  # ${visibleLine(description)}`;
    return `shallot answer ${id}${suffix} ${visibleLine(shellWord(JSON.stringify(answer)))}${about}`;
  });
  return [
    ...(examples.length > 0 ? examples : [`shallot answer ${id}${suffix} '…'`]),
    `  JSON of ${visible(JSON.stringify(interrupt.answerSchema))}`,
  ];
}

/** Returns the command that resumes a session. */
export function resumeHint(sessionId: string, { config }: AgentCommandOptions): string {
  return `shallot resume ${visibleLine(shellWord(sessionId))}${configOption(config)}`;
}

/** Returns the command that continues a session in a chat. */
export function chatHint(sessionId: string, { config }: AgentCommandOptions): string {
  return `shallot chat --session ${visibleLine(shellWord(sessionId))}${configOption(config)}`;
}

function configOption(config: string | undefined): string {
  return config === undefined ? '' : ` -c ${visibleLine(shellWord(config))}`;
}
