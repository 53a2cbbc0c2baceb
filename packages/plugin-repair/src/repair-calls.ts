import type { JsonValue, Tool } from '@shallot/core';
import type { ModelResponse, ToolCallPart } from '@shallot/core/model';

import { nearestTool } from './nearest-tool.ts';
import type { Settings } from './options.ts';
import { parseMalformed } from './parse-malformed.ts';

/** The repairs that are made, and the function that reports them. */
export interface Repairs extends Settings {
  readonly warn: (code: string, message: string) => void;
}

/** Returns the response with repaired tool calls, or the same response if there are none to repair. */
export async function repairCalls(
  response: ModelResponse,
  tools: readonly Tool[],
  repairs: Repairs,
): Promise<ModelResponse> {
  const { message } = response;
  const content = await Promise.all(
    message.content.map(async (part) =>
      part.type === 'tool-call' ? repairCall(part, tools, repairs) : part,
    ),
  );
  const isChanged = content.some((part, index) => part !== message.content[index]);
  return isChanged ? { ...response, message: { ...message, content } } : response;
}

async function repairCall(
  call: ToolCallPart,
  tools: readonly Tool[],
  { names, arguments: repairsArguments, warn }: Repairs,
): Promise<ToolCallPart> {
  const tool =
    tools.find(({ name }) => name === call.name) ?? (names ? nearestTool(call.name, tools) : undefined);
  if (tool === undefined) return call;
  const named = tool.name === call.name ? call : { ...call, name: tool.name };
  if (named !== call) warn('NAME_REPAIRED', `The model called "${call.name}"; taken as "${tool.name}".`);
  if (!repairsArguments || call.raw === undefined) return named;
  const input = await repairedInput(call.raw, tool);
  if (input === undefined) return named;
  warn('ARGUMENTS_REPAIRED', `The arguments of ${tool.name} were not JSON and were repaired.`);
  const { raw: _raw, ...rest } = named;
  return { ...rest, input };
}

/** Returns the value that the text stands for, if the tool accepts it. */
async function repairedInput(raw: string, tool: Tool): Promise<JsonValue | undefined> {
  const input = parseMalformed(raw);
  if (input === undefined) return undefined;
  const { ok } = await tool.validate(input);
  return ok ? input : undefined;
}
