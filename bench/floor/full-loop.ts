import { countTool, instructions, question } from '../script.ts';
import type { Chains } from './loop.ts';
import type { Call, Emit, Layer, Message, ModelCall, Part, Result, ToolRun } from './shapes.ts';

/** Receives events, which are created only if there is a listener. */
export type Listener = (event: { readonly type: string; readonly step: number }) => void;

/** The store of this loop: the committed messages of each session. */
export type Commits = Map<string, { revision: number; readonly messages: Message[] }>;

/** The layer that each error was thrown by. */
const blamed = new WeakMap<object, string>();

/** Composes the layers into nested closures that record the layer that an error came from. */
export function composeBlamed(layers: readonly Layer[], model: ModelCall, tool: ToolRun): Chains {
  const names = layers.map((_, index) => `layer-${index}`);
  let callModel = model;
  let runTool = tool;
  for (const [index, layer] of [...layers.entries()].toReversed()) {
    const innerModel = callModel;
    const innerTool = runTool;
    const name = names[index] ?? '';
    const note = (error: unknown): void => {
      blame(error, name);
    };
    callModel = (request, emit) => {
      const response = layer.wrapModelCall(request, innerModel, emit);
      // Only records: the layers outside still get this same promise.
      response.then(undefined, note);
      return response;
    };
    runTool = (call) => {
      const result = layer.wrapToolCall(call, innerTool);
      result.then(undefined, note);
      return result;
    };
  }
  return {
    async beforeModel(request) {
      let current = request;
      for (const [index, layer] of layers.entries()) {
        try {
          current = (await layer.beforeModel(current)) ?? current;
        } catch (error) {
          throw blame(error, names[index] ?? '');
        }
      }
      return current;
    },
    callModel,
    async afterModel(response) {
      let current = response;
      for (let index = layers.length - 1; index >= 0; index -= 1) {
        try {
          current = (await layers[index]?.afterModel(current)) ?? current;
        } catch (error) {
          throw blame(error, names[index] ?? '');
        }
      }
      return current;
    },
    runTool,
  };
}

/**
 * Runs the loop with everything that Shallot does by default: argument checks, events, commits, an abort signal, frozen
 * messages.
 */
export function runFullLoop(
  chains: Chains,
  commits: Commits,
  session: string,
  listeners: ReadonlySet<Listener>,
  emit?: Emit,
): Promise<string> {
  const controller = new AbortController();
  const { signal } = controller;
  return new Promise((resolve, reject) => {
    // One listener per run settles it even if the model or a tool ignores the signal.
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    runSteps(chains, openSession(commits, session), signal, listeners, emit).then(resolve, reject);
  });
}

/** The messages of a session so far, frozen, and a way to commit more. */
interface SessionLog {
  readonly messages: readonly Message[];
  commit(added: readonly Message[]): void;
}

function openSession(commits: Commits, session: string): SessionLog {
  const stored = commits.get(session);
  const messages = stored ? [...stored.messages] : [];
  let revision = stored?.revision ?? 0;
  return {
    messages,
    commit(added) {
      let record = commits.get(session);
      if (!record) commits.set(session, (record = { revision: 0, messages: [] }));
      if (record.revision !== revision) throw new Error('somebody else was first');
      for (const message of added) {
        Object.freeze(message);
        record.messages.push(message);
        messages.push(message);
      }
      revision += 1;
      record.revision = revision;
    },
  };
}

async function runSteps(
  chains: Chains,
  log: SessionLog,
  signal: AbortSignal,
  listeners: ReadonlySet<Listener>,
  emit?: Emit,
): Promise<string> {
  const tell = (type: string, step: number): void => {
    for (const listener of listeners) listener({ type, step });
  };
  log.commit([{ role: 'user', id: crypto.randomUUID(), content: [{ type: 'text', text: question }] }]);
  const tools = [countTool.name];
  tell('run-start', 0);
  for (let step = 1; ; step += 1) {
    signal.throwIfAborted();
    tell('step-start', step);
    const messages = Object.freeze([...log.messages]);
    const request = await chains.beforeModel({ instructions, messages, tools });
    const response = await chains.afterModel(await chains.callModel(request, emit));
    log.commit([response.message]);
    const calls = response.message.content.filter(isCall);
    if (calls.length === 0) {
      log.commit([]);
      tell('run-end', step);
      return textOf(response.message);
    }
    const results = await Promise.all(calls.map((call) => runCall(chains, call, step, tell)));
    log.commit(
      results.map((result, index): Message => ({
        role: 'tool',
        id: crypto.randomUUID(),
        callId: calls[index]?.id ?? '',
        content: result.content,
      })),
    );
  }
}

async function runCall(
  chains: Chains,
  call: Call,
  step: number,
  tell: (type: string, step: number) => void,
): Promise<Result> {
  tell('tool-start', step);
  if (call.name !== countTool.name || typeof call.input.n !== 'number') {
    return { content: [{ type: 'text', text: 'invalid call' }], isError: true };
  }
  const result = await chains.runTool(call);
  tell('tool-end', step);
  return result;
}

function blame(error: unknown, name: string): unknown {
  if (typeof error === 'object' && error !== null && !blamed.has(error)) blamed.set(error, name);
  return error;
}

function isCall(part: Part): part is Part & Call {
  return part.type === 'tool-call';
}

function textOf(message: Message): string {
  let text = '';
  for (const part of message.content) if (part.type === 'text') text += part.text;
  return text;
}
