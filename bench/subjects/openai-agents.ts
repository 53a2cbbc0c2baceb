import {
  Agent,
  type AgentInputItem,
  assistant,
  type Model,
  type ModelRequest,
  type ModelResponse,
  Runner,
  setTracingDisabled,
  tool,
  Usage,
  user,
} from '@openai/agents';
import { z } from 'zod';

import {
  answer,
  chunkText,
  countTool,
  eventLoopTurn,
  historyText,
  instructions,
  nextCount,
  question,
} from '../script.ts';
import { defineSubject } from '../subject.ts';
import type { Tally } from '../tally.ts';
import type { Workload } from '../workload.ts';

setTracingDisabled(true);

/** OpenAI Agents SDK. It has no middleware, so the layers are a nested model and a nested tool function. */
export const subject = defineSubject({
  places: ['wrapModelCall', 'wrapToolCall'],
  transforms: true,
  create(workload, tally) {
    let model = createModel(workload, tally);
    for (let layer = 0; layer < workload.layers; layer += 1) model = createLayer(model, workload, tally);
    const agent = new Agent({ name: 'bench', instructions, model, tools: [createTool(workload, tally)] });
    const runner = new Runner({ tracingDisabled: true });
    const maxTurns = workload.steps + 1;
    return {
      open: () => newSession(workload.history),
      async run(session: AgentInputItem[]) {
        session.push(user(question));
        if (workload.chunks === 0) {
          const result = await runner.run(agent, session, { maxTurns });
          session.splice(0, session.length, ...result.history);
          return;
        }
        const result = await runner.run(agent, session, { maxTurns, stream: true });
        for await (const event of result) {
          if (event.type !== 'raw_model_stream_event') continue;
          if (event.data.type === 'output_text_delta') tally.delivered += event.data.delta.length;
        }
      },
      forget(session: AgentInputItem[]) {
        session.length = 0;
      },
    };
  },
});

function createModel(workload: Workload, tally: Tally): Model {
  return {
    async getResponse({ input }) {
      tally.modelCalls += 1;
      if (workload.latency === 'turn') await eventLoopTurn();
      const n = nextCount(reached(input), workload);
      return { usage: usage(), output: n === undefined ? [assistant(answer)] : [toolCall(n)] };
    },
    async *getStreamedResponse() {
      tally.modelCalls += 1;
      yield { type: 'response_started' };
      for (let index = 0; index < workload.chunks; index += 1) {
        yield { type: 'output_text_delta', delta: chunkText };
      }
      yield {
        type: 'response_done',
        response: {
          id: 'r',
          usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 },
          output: [assistant(chunkText.repeat(workload.chunks))],
        },
      };
    },
  };
}

function createLayer(inner: Model, { transform }: Workload, tally: Tally): Model {
  return {
    async getResponse(request) {
      tally.wrapModelCall += 1;
      return await inner.getResponse(request);
    },
    async *getStreamedResponse(request) {
      tally.wrapModelCall += 1;
      if (!transform) {
        yield* inner.getStreamedResponse(request);
        return;
      }
      for await (const event of inner.getStreamedResponse(request)) {
        if (event.type !== 'output_text_delta') {
          yield event;
          continue;
        }
        tally.transformed += 1;
        yield { type: event.type, delta: event.delta };
      }
    },
  };
}

function usage(): Usage {
  return new Usage({ requests: 1, inputTokens: 10, outputTokens: 5, totalTokens: 15 });
}

function toolCall(n: number): ModelResponse['output'][number] {
  return {
    type: 'function_call',
    callId: `c${n}`,
    name: countTool.name,
    status: 'completed',
    arguments: JSON.stringify({ n }),
  };
}

function reached(input: ModelRequest['input']): number {
  const last = typeof input === 'string' ? undefined : input.at(-1);
  if (last?.type !== 'function_call_result') return 0;
  const { output } = last;
  if (typeof output === 'string') return Number(output);
  return !Array.isArray(output) && output.type === 'text' ? Number(output.text) : 0;
}

function createTool({ layers, latency }: Workload, tally: Tally) {
  let execute = async ({ n }: { n: number }): Promise<string> => {
    tally.toolCalls += 1;
    if (latency === 'turn') await eventLoopTurn();
    return String(n);
  };
  for (let layer = 0; layer < layers; layer += 1) {
    const inner = execute;
    execute = async (input) => {
      tally.wrapToolCall += 1;
      return await inner(input);
    };
  }
  return tool({
    name: countTool.name,
    description: countTool.description,
    parameters: z.object({ n: z.number() }),
    execute,
  });
}

function newSession(history: number): AgentInputItem[] {
  return Array.from({ length: history }, (_, index) =>
    index % 2 === 0 ? user(historyText(index)) : assistant(historyText(index)),
  );
}
