import { countTool, historyText, instructions, question } from '../script.ts';
import type { Call, Emit, Layer, Message, ModelCall, Part, Request, Response, ToolRun } from './shapes.ts';

/** The four chains of an agent, composed once. */
export interface Chains {
  beforeModel(request: Request): Promise<Request>;
  callModel: ModelCall;
  afterModel(response: Response): Promise<Response>;
  runTool: ToolRun;
}

/** Composes the layers into nested closures, as somebody would write it who uses no framework. */
export function composeLayers(layers: readonly Layer[], model: ModelCall, tool: ToolRun): Chains {
  let callModel = model;
  let runTool = tool;
  for (const layer of layers.toReversed()) {
    const innerModel = callModel;
    const innerTool = runTool;
    callModel = (request, emit) => layer.wrapModelCall(request, innerModel, emit);
    runTool = (call) => layer.wrapToolCall(call, innerTool);
  }
  const outwards = layers.toReversed();
  return {
    async beforeModel(request) {
      let current = request;
      for (const layer of layers) current = (await layer.beforeModel(current)) ?? current;
      return current;
    },
    callModel,
    async afterModel(response) {
      let current = response;
      for (const layer of outwards) current = (await layer.afterModel(current)) ?? current;
      return current;
    },
    runTool,
  };
}

/** Runs the loop, and returns the answer. It appends to `session`, the same array that the model and the layers see. */
export async function runLoop(chains: Chains, session: Message[], emit?: Emit): Promise<string> {
  session.push({ role: 'user', id: 'u', content: [{ type: 'text', text: question }] });
  const tools = [countTool.name];
  for (;;) {
    const request = await chains.beforeModel({ instructions, messages: session, tools });
    const response = await chains.afterModel(await chains.callModel(request, emit));
    session.push(response.message);
    const calls = response.message.content.filter(isCall);
    if (calls.length === 0) return textOf(response.message);
    const results = await Promise.all(calls.map((call) => chains.runTool(call)));
    for (const [index, result] of results.entries()) {
      session.push({
        role: 'tool',
        id: `t${index}`,
        callId: calls[index]?.id ?? '',
        content: result.content,
      });
    }
  }
}

export function newSession(history: number): Message[] {
  return Array.from({ length: history }, (_, index): Message => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    id: `h${index}`,
    content: [{ type: 'text', text: historyText(index) }],
  }));
}

function isCall(part: Part): part is Part & Call {
  return part.type === 'tool-call';
}

function textOf(message: Message): string {
  let text = '';
  for (const part of message.content) if (part.type === 'text') text += part.text;
  return text;
}
