import { ShallotError } from '../../base/errors.ts';
import type { AssistantMessage } from '../../contract/messages.ts';
import type { ModelRequest, ToolChoice } from '../../contract/model.ts';
import type { ActiveRun } from '../active-run.ts';

/** The choice for the next request: one that forces a call holds until a tool was called. */
export function toolChoiceOf({ toolChoice, progress }: ActiveRun): ToolChoice | undefined {
  return isForcing(toolChoice) && progress.isChoiceMet ? undefined : toolChoice;
}

/** Notes whether an answer does what the run's choice asks for; `isExecuted` says so of its tool calls. */
export function noteCalls(
  { toolChoice, progress }: ActiveRun,
  { content }: AssistantMessage,
  isExecuted: boolean,
): void {
  if (!isForcing(toolChoice) || progress.isChoiceMet) return;
  const wanted = toolChoice === 'required' ? undefined : toolChoice.tool;
  const isMet = content.some(
    (part) =>
      (part.type === 'provider-call' || (part.type === 'tool-call' && isExecuted)) &&
      (wanted === undefined || part.name === wanted),
  );
  if (isMet) progress.meetChoice();
}

/** @throws `OPTION_INVALID` for a choice of a tool that the request does not offer */
export function checkChoice({ toolChoice, tools = [], providerTools = [] }: ModelRequest): void {
  if (typeof toolChoice !== 'object') return;
  const names = [...tools, ...providerTools].map(({ name }) => name);
  if (names.includes(toolChoice.tool)) return;
  throw new ShallotError('OPTION_INVALID', {
    message: `toolChoice names the tool "${toolChoice.tool}", which is not offered. The tools are: ${names.join(', ') || 'none'}.`,
  });
}

function isForcing(choice: ToolChoice | undefined): choice is Exclude<ToolChoice, 'auto' | 'none'> {
  return choice !== undefined && choice !== 'auto' && choice !== 'none';
}
