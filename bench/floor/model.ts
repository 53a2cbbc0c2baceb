import { answer, chunkText, countTool, eventLoopTurn, nextCount, numberIn, rowsText } from '../script.ts';
import type { Tally } from '../tally.ts';
import type { Workload } from '../workload.ts';
import type { Call, Message, ModelCall, Part, Response, Result, ToolRun } from './shapes.ts';

export function createModel(workload: Workload, tally: Tally): ModelCall {
  const { chunks, burst, latency } = workload;
  return async function generate(request, emit) {
    tally.modelCalls += 1;
    if (latency === 'turn') await eventLoopTurn();
    const n = nextCount(reached(request.messages, workload), workload);
    if (n !== undefined) return toolCalls(n, workload.calls);
    if (!emit || chunks === 0) return answerOf(answer);
    for (let index = 0; index < chunks; index += 1) {
      emit({ type: 'text', index: 0, text: chunkText });
      if (!burst) await undefined;
    }
    return answerOf(chunkText.repeat(chunks));
  };
}

export function createTool({ latency, resultLength }: Workload, tally: Tally): ToolRun {
  const rows = rowsText(resultLength);
  return async function count(call: Call): Promise<Result> {
    tally.toolCalls += 1;
    if (latency === 'turn') await eventLoopTurn();
    const { n } = call.input;
    const text = resultLength === 0 ? String(n) : JSON.stringify({ n, rows: JSON.parse(rows) as unknown });
    return { content: [{ type: 'text', text }] };
  };
}

function reached(messages: readonly Message[], { adds, layers }: Workload): number {
  const last = messages.at(adds ? -1 - layers : -1);
  if (last?.role !== 'tool') return 0;
  const part = last.content[0];
  return part?.type === 'text' ? numberIn(part.text) : 0;
}

function toolCalls(n: number, calls: number): Response {
  const content: Part[] = [];
  for (let index = 0; index < calls; index += 1) {
    content.push({ type: 'tool-call', id: `c${n}-${index}`, name: countTool.name, input: { n } });
  }
  return {
    message: { role: 'assistant', id: `a${n}`, content },
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
