import type { JsonValue, Tool } from '@shallot/core';
import type { ModelResponse, ToolCallPart } from '@shallot/core/model';
import { isJsonObject } from '@shallot/core/plugin';

import { nearestTool } from './nearest-tool.ts';
import type { Settings } from './options.ts';
import { parseMalformed } from './parse-malformed.ts';
import { renameArguments } from './rename-arguments.ts';

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
  if (!repairsArguments) return named;
  const given = call.raw === undefined ? call.input : parseMalformed(call.raw);
  const input = given === undefined ? undefined : await acceptedInput(given, tool);
  if (input === undefined || input === call.input) return named;
  const what = call.raw === undefined ? 'had other names' : 'were not JSON';
  warn('ARGUMENTS_REPAIRED', `The arguments of ${tool.name} ${what} and were repaired.`);
  const { raw: _raw, ...rest } = named;
  return { ...rest, input };
}

/** Returns arguments as the tool accepts them: as they are, or with its names for them; undefined if it accepts neither. */
async function acceptedInput(given: JsonValue, tool: Tool): Promise<JsonValue | undefined> {
  if (await accepts(tool, given)) return given;
  const renamed = isJsonObject(given) ? renameArguments(given, tool.inputSchema) : given;
  return renamed !== given && (await accepts(tool, renamed)) ? renamed : undefined;
}

async function accepts(tool: Tool, input: JsonValue): Promise<boolean> {
  try {
    return (await tool.validate(input)).ok;
  } catch {
    // The core calls the validator again, and reports its error.
    return false;
  }
}
