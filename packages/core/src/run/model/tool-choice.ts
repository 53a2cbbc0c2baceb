import { ShallotError } from '../../base/errors.ts';
import type { AssistantMessage } from '../../contract/messages.ts';
import type { ModelRequest, ToolChoice } from '../../contract/model.ts';
import type { Progress } from '../parts/progress.ts';

/** Returns the choice for the next request. A choice that forces a call is dropped once the call was made. */
export function toolChoiceOf(toolChoice: ToolChoice | undefined, progress: Progress): ToolChoice | undefined {
  return isForcing(toolChoice) && progress.isChoiceMet ? undefined : toolChoice;
}

/** Notes if a response meets the forcing choice of the run. `isExecuted` is true if its tool calls are executed. */
export function noteCalls(
  toolChoice: ToolChoice | undefined,
  progress: Progress,
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

/** Returns false for a choice of a tool that the request does not offer. */
export function offersChoice(request: ModelRequest): boolean {
  const { toolChoice } = request;
  return typeof toolChoice !== 'object' || offeredNames(request).includes(toolChoice.tool);
}

function offeredNames({ tools = [], providerTools = [] }: ModelRequest): string[] {
  return [...tools, ...providerTools].map(({ name }) => name);
}

/** @throws `OPTION_INVALID` for a choice of a tool that the request does not offer */
export function checkChoice(request: ModelRequest): void {
  const { toolChoice } = request;
  if (typeof toolChoice !== 'object' || offersChoice(request)) return;
  const names = offeredNames(request);
  throw new ShallotError('OPTION_INVALID', {
    message: `toolChoice names the tool "${toolChoice.tool}", which is not offered. The tools are: ${names.join(', ') || 'none'}.`,
  });
}

function isForcing(choice: ToolChoice | undefined): choice is Exclude<ToolChoice, 'auto' | 'none'> {
  return choice !== undefined && choice !== 'auto' && choice !== 'none';
}
