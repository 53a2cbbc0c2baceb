import { answer, historyText, nextCount, question } from '../script.ts';
import { defineSubject } from '../subject.ts';
import { layerPlaces, type Tally } from '../tally.ts';
import type { Workload } from '../workload.ts';

/** A message reduced to its text, or its call to a number: all that this loop needs. */
interface Message {
  readonly role: 'user' | 'assistant' | 'tool';
  readonly text: string;
  readonly call?: number;
}

type Model = (messages: readonly Message[]) => Promise<Message>;
type Tool = (call: number) => Promise<string>;

interface Layer {
  beforeModel(messages: readonly Message[]): Promise<undefined>;
  afterModel(message: Message): Promise<undefined>;
  wrapModelCall(messages: readonly Message[], next: Model): Promise<Message>;
  wrapToolCall(call: number, next: Tool): Promise<string>;
}

/** The smallest possible loop with layers: it makes one call at a time, and awaits only layers, model and tool. */
export const subject = defineSubject({
  places: layerPlaces,
  transforms: false,
  create(workload, tally) {
    const layers = Array.from({ length: workload.layers }, () => createLayer(tally));
    const outwards = layers.toReversed();
    let callModel = createModel(workload, tally);
    let runTool = createTool(tally);
    for (const layer of outwards) {
      const [innerModel, innerTool] = [callModel, runTool];
      callModel = (messages) => layer.wrapModelCall(messages, innerModel);
      runTool = (call) => layer.wrapToolCall(call, innerTool);
    }
    return {
      open: () =>
        Array.from({ length: workload.history }, (_, index): Message => ({
          role: index % 2 === 0 ? 'user' : 'assistant',
          text: historyText(index),
        })),
      async run(session: Message[]) {
        session.push({ role: 'user', text: question });
        for (;;) {
          for (const layer of layers) await layer.beforeModel(session);
          const message = await callModel(session);
          for (const layer of outwards) await layer.afterModel(message);
          session.push(message);
          if (message.call === undefined) return;
          session.push({ role: 'tool', text: await runTool(message.call) });
        }
      },
      forget(session: Message[]) {
        session.length = 0;
      },
    };
  },
});

function createModel(workload: Workload, tally: Tally): Model {
  return async function generate(messages) {
    tally.modelCalls += 1;
    const last = messages.at(-1);
    const n = nextCount(last?.role === 'tool' ? Number(last.text) : 0, workload);
    return n === undefined ? { role: 'assistant', text: answer } : { role: 'assistant', text: '', call: n };
  };
}

function createTool(tally: Tally): Tool {
  return async function count(call) {
    tally.toolCalls += 1;
    return String(call);
  };
}

function createLayer(tally: Tally): Layer {
  return {
    async beforeModel() {
      tally.beforeModel += 1;
      return undefined;
    },
    async afterModel() {
      tally.afterModel += 1;
      return undefined;
    },
    async wrapModelCall(messages, next) {
      tally.wrapModelCall += 1;
      return await next(messages);
    },
    async wrapToolCall(call, next) {
      tally.wrapToolCall += 1;
      return await next(call);
    },
  };
}
