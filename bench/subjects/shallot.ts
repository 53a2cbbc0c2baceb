import {
  type Agent,
  createAgent,
  defineTool,
  definePlugin,
  memoryStore,
  type Message,
  type Plugin,
  type ToolCall,
} from '@shallot/core';
import type { ChatModel, Emit, ModelRequest, ModelResponse, ToolCallPart } from '@shallot/core/model';
import type { ModelNext, ModelScope, ToolNext } from '@shallot/core/plugin';
import type { Store } from '@shallot/core/store';

import {
  answer,
  chunkText,
  countTool,
  eventLoopTurn,
  historyText,
  instructions,
  nextCount,
  note,
  numberIn,
  question,
  rowsText,
} from '../script.ts';
import { defineSubject, type SubjectModule } from '../subject.ts';
import { layerPlaces, type Tally } from '../tally.ts';
import type { Workload } from '../workload.ts';

interface Variant {
  /**
   * The kind of functions that plugins register: async ones, which a hook has to await, or plain ones. Default: async.
   */
  readonly taps?: 'async' | 'plain';
  /** Opens the store. Default: in memory. */
  readonly openStore?: () => Store;
  /** True if runs name no session and use the default store. */
  readonly isAnonymous?: boolean;
}

/** Shallot as published, with everything that is on by default. */
export const subject = shallotSubject();

export function shallotSubject({
  taps = 'async',
  openStore = memoryStore,
  isAnonymous = false,
}: Variant = {}): SubjectModule {
  return defineSubject({
    places: layerPlaces,
    transforms: true,
    async create(workload, tally) {
      let store = openStore();
      const newAgent = (): Promise<Agent> =>
        createAgent({
          model: createModel(workload, tally),
          instructions,
          tools: [createTool(workload, tally)],
          plugins: createPlugins(workload, tally, taps),
          // The default store forgets runs without a session id, whereas an explicit one keeps everything.
          ...(!isAnonymous && { store }),
          maxSteps: workload.steps + 1,
          // Tools run concurrently, as in the hand-written loop.
          ...(workload.calls > 1 && { toolConcurrency: workload.calls }),
        });
      let agent = await newAgent();
      const history = createHistory(workload.history);
      const isInput = workload.historyIn !== 'session';
      const known = workload.historyIn === 'input' ? await completed(history) : [];
      const json = JSON.stringify(history);
      /** The new messages for each session, parsed before its run so that this is not measured. */
      const inputs = new Map<string, readonly Message[]>();
      let sessions = 0;
      return {
        async open() {
          sessions += 1;
          const sessionId = `session-${sessions}`;
          if (workload.historyIn === 'new-input') inputs.set(sessionId, JSON.parse(json) as Message[]);
          if (history.length > 0 && !isInput) await store.commit(sessionId, 0, { append: history });
          return sessionId;
        },
        async run(sessionId: string) {
          if (workload.chunks === 0) {
            const input = isInput
              ? [...(inputs.get(sessionId) ?? known), { role: 'user' as const, content: question }]
              : question;
            await agent.run(input, isAnonymous ? {} : { sessionId });
            return;
          }
          for await (const event of agent.stream(question, { sessionId })) {
            if (event.type === 'text-delta') tally.delivered += event.text.length;
          }
        },
        async forget(sessionId: string) {
          inputs.delete(sessionId);
          await store.delete(sessionId);
        },
        async reopen() {
          await store.close?.();
          store = openStore();
          agent = await newAgent();
        },
      };
    },
  });
}

/** Returns messages as a run of another agent returns them, so the core knows them. */
async function completed(history: readonly Message[]): Promise<readonly Message[]> {
  const agent = await createAgent({
    model: { id: 'bench/silent', generate: () => Promise.resolve(answerOf(answer)) },
  });
  const { messages } = await agent.run(history);
  return messages;
}

function createModel(workload: Workload, tally: Tally): ChatModel {
  const { chunks, burst, latency } = workload;
  return {
    id: 'bench/scripted',
    async generate(request, call) {
      tally.modelCalls += 1;
      if (latency === 'turn') await eventLoopTurn();
      const n = nextCount(reached(request.messages, workload), workload);
      if (n !== undefined) return toolCalls(n, workload.calls);
      if (!call.wantsChunks || chunks === 0) return answerOf(answer);
      for (let index = 0; index < chunks; index += 1) {
        const taken = call.emit({ type: 'text-delta', index: 0, text: chunkText });
        if (!burst) await taken;
      }
      return answerOf(chunkText.repeat(chunks));
    },
  };
}

function reached(messages: readonly Message[], { adds, layers }: Workload): number {
  const last = messages.at(adds ? -1 - layers : -1);
  if (last?.role !== 'tool') return 0;
  const part = last.content[0];
  return part?.type === 'text' ? numberIn(part.text) : 0;
}

function toolCalls(n: number, calls: number): ModelResponse {
  const content: ToolCallPart[] = [];
  for (let index = 0; index < calls; index += 1) {
    content.push({ type: 'tool-call', id: `c${n}-${index}`, name: countTool.name, input: { n } });
  }
  return {
    message: { role: 'assistant', content },
    usage: { input: 10, output: 5, total: 15 },
    finish: 'tool-calls',
  };
}

function answerOf(text: string): ModelResponse {
  return {
    message: { role: 'assistant', content: [{ type: 'text', text }] },
    usage: { input: 10, output: 5, total: 15 },
    finish: 'stop',
  };
}

function createTool({ latency, resultLength }: Workload, tally: Tally) {
  const rows = rowsText(resultLength);
  return defineTool({
    name: countTool.name,
    description: countTool.description,
    input: countTool.schema,
    async execute(args) {
      tally.toolCalls += 1;
      if (latency === 'turn') await eventLoopTurn();
      const { n } = args as { n: number };
      return resultLength === 0 ? String(n) : { n, rows: JSON.parse(rows) as unknown };
    },
  });
}

function createPlugins(workload: Workload, tally: Tally, taps: Variant['taps']): Plugin[] {
  return Array.from({ length: workload.layers }, (_, index) => {
    const layer = createLayer(workload, tally, index);
    const plugin = definePlugin({
      name: `layer-${index}`,
      setup({ hooks }) {
        if (taps === 'plain') {
          hooks.beforeModel.tap('count', () => layer.beforeModel());
          hooks.afterModel.tap('count', () => layer.afterModel());
          hooks.wrapModelCall.tap('count', (...args) => layer.wrapModelCall(...args));
          hooks.wrapToolCall.tap('count', (call, next) => layer.wrapToolCall(call, next));
          return;
        }
        hooks.beforeModel.tapPromise('count', async () => layer.beforeModel());
        hooks.afterModel.tapPromise('count', async () => layer.afterModel());
        hooks.wrapModelCall.tapPromise('count', async (...args) => await layer.wrapModelCall(...args));
        hooks.wrapToolCall.tapPromise('count', async (call, next) => await layer.wrapToolCall(call, next));
      },
    });
    return plugin();
  });
}

/** Returns the work of a plugin as plain functions. */
function createLayer({ transform, adds }: Workload, tally: Tally, index: number) {
  return {
    beforeModel() {
      tally.beforeModel += 1;
      return undefined;
    },
    afterModel() {
      tally.afterModel += 1;
      return undefined;
    },
    wrapModelCall(request: ModelRequest, next: ModelNext, { emit }: ModelScope) {
      tally.wrapModelCall += 1;
      const passed = adds ? withNote(request, index) : request;
      return transform && emit ? next(passed, { emit: replacing(emit, tally) }) : next(passed);
    },
    wrapToolCall(call: ToolCall, next: ToolNext) {
      tally.wrapToolCall += 1;
      return next(call);
    },
  };
}

function withNote(request: ModelRequest, layer: number): ModelRequest {
  const added: Message = { role: 'user', id: `note-${layer}`, content: [{ type: 'text', text: note }] };
  return { ...request, messages: [...request.messages, added] };
}

function replacing(emit: Emit, tally: Tally): Emit {
  return function emitReplaced(chunk) {
    if (chunk.type !== 'text-delta') return emit(chunk);
    tally.transformed += 1;
    return emit({ type: chunk.type, index: chunk.index, text: chunk.text });
  };
}

/** Frozen, like messages that the core itself commits. */
function createHistory(length: number): Message[] {
  return Array.from({ length }, (_, index): Message =>
    Object.freeze({
      role: index % 2 === 0 ? 'user' : 'assistant',
      id: `h${index}`,
      content: Object.freeze([Object.freeze({ type: 'text', text: historyText(index) })]),
    }),
  );
}
