import { answer, chunkText, eventLoopTurn, nextCount, countTool } from '../script.ts';
import type { Tally } from '../tally.ts';
import type { Workload } from '../workload.ts';
import type { Call, Message, ModelCall, Response, Result, ToolRun } from './shapes.ts';

export function createModel(workload: Workload, tally: Tally): ModelCall {
  const { chunks, latency } = workload;
  return async function generate(request, emit) {
    tally.modelCalls += 1;
    tally.onModelCall?.();
    if (latency === 'turn') await eventLoopTurn();
    const n = nextCount(reached(request.messages), workload);
    if (n !== undefined) return toolCall(n);
    if (!emit || chunks === 0) return answerOf(answer);
    for (let index = 0; index < chunks; index += 1) {
      await emit({ type: 'text', index: 0, text: chunkText });
    }
    return answerOf(chunkText.repeat(chunks));
  };
}

export function createTool({ latency }: Workload, tally: Tally): ToolRun {
  return async function count(call: Call): Promise<Result> {
    tally.toolCalls += 1;
    if (latency === 'turn') await eventLoopTurn();
    return { content: [{ type: 'text', text: String(call.input.n) }] };
  };
}

function reached(messages: readonly Message[]): number {
  const last = messages.at(-1);
  if (last?.role !== 'tool') return 0;
  const part = last.content[0];
  return part?.type === 'text' ? Number(part.text) : 0;
}

function toolCall(n: number): Response {
  return {
    message: {
      role: 'assistant',
      id: `a${n}`,
      content: [{ type: 'tool-call', id: `c${n}`, name: countTool.name, input: { n } }],
    },
    usage: { input: 10, output: 5 },
    finish: 'tool-calls',
  };
}

function answerOf(text: string): Response {
  return {
    message: { role: 'assistant', id: 'a0', content: [{ type: 'text', text }] },
    usage: { input: 10, output: 5 },
    finish: 'stop',
  };
}
