// Runs an agent with values that it must redact. Everything that the run stores or sends is written to a folder, where
// it remains if the process is killed.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

import { trace } from '@opentelemetry/api';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import {
  createAgent,
  definePlugin,
  defineTool,
  type Agent,
  type Interrupt,
  type JsonValue,
  type MessageInput,
  type Plugin,
  type Tool,
} from '@shallot/core';
import { diskFiles } from '@shallot/core/files';
import { modelError } from '@shallot/core/model';
import { sqliteStore } from '@shallot/core/sqlite';
import type { Store } from '@shallot/core/store';
import { hitl } from '@shallot/plugin-hitl';
import { redaction, type RedactionOptions } from '@shallot/plugin-redaction';
import { summarization } from '@shallot/plugin-summarization';
import { telemetry } from '@shallot/plugin-telemetry';
import { scriptedModel } from '@shallot/testing';

/** The places that values come from. */
const sources = [
  'input',
  'metadata',
  'model',
  'progress',
  'result',
  'once',
  'answer',
  'reason',
  'edit',
  'error',
  'fault',
] as const;

type Source = (typeof sources)[number];

/** The settings of a scenario. */
export interface Scenario {
  /** The options of the redaction plugin; undefined to run without it. */
  readonly options: RedactionOptions | undefined;
  readonly isSubmitted?: boolean;
}

/** The names of the files and folders that a scenario writes, in its folder. */
export const kept = {
  database: 'sessions.db',
  files: 'files',
  log: 'log.jsonl',
  trace: 'trace.jsonl',
  events: 'events.jsonl',
  spans: 'spans.jsonl',
} as const;

const valueOf = (source: Source): string => `${source}@raw-${source}.example`;

/** Plays the scenario in a folder. `commit` is called before and after each commit. */
export async function playSinks(
  folder: string,
  { options, isSubmitted }: Scenario,
  commit: (when: 'before' | 'after') => void | Promise<void>,
): Promise<void> {
  const path = (name: keyof typeof kept): string => join(folder, kept[name]);
  exportSpansTo(path('spans'));
  try {
    const store = watched(sqliteStore(path('database')), commit);
    const plugins = [
      summarization({
        model: { id: 'test/writer', generate: async () => said('A summary.') },
        trigger: { messages: 6 },
        keep: { messages: 2 },
      }),
      hitl({ tools: { send: true, '*': false } }),
      telemetry({ trace: { file: path('trace'), content: true }, content: true }),
      keepingResults(),
      ...(options === undefined ? [] : [redaction(options)]),
    ];
    const logStream = { write: (line: string) => appendFileSync(path('log'), line) };
    const files = diskFiles(path('files'));
    const note = (event: unknown): void => appendFileSync(path('events'), `${JSON.stringify(event)}\n`);
    await using agent = await play(isSubmitted === true, { store, files, logStream, plugins }, note);
    await agent.close();
    // Closing also writes the database's log into the database.
    await store.close?.();
  } finally {
    trace.disable();
  }
}

/** Appends the results of each session's calls to a file. */
const keepingResults = definePlugin({
  name: 'keeping-results',
  setup({ hooks, sessionPath }) {
    const pathOf = sessionPath({ directory: '/results', extension: '.jsonl' });
    hooks.wrapToolCall.tapPromise('keep', async (call, next, { run }) => {
      const result = await next(call);
      await run.files.append(await pathOf(run), `${JSON.stringify(result)}\n`);
      return result;
    });
  },
});

function exportSpansTo(path: string): void {
  const exporter = new SpansInFile(path);
  trace.setGlobalTracerProvider(
    new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }),
  );
}

class SpansInFile extends InMemorySpanExporter {
  readonly #path: string;

  constructor(path: string) {
    super();
    this.#path = path;
  }

  override export(...[spans, done]: Parameters<InMemorySpanExporter['export']>): void {
    for (const { name, attributes, status, events } of spans)
      appendFileSync(this.#path, `${JSON.stringify([name, attributes, status, events])}\n`);
    super.export(spans, done);
  }
}

interface Stage {
  readonly store: Store;
  readonly files: ReturnType<typeof diskFiles>;
  readonly logStream: { write(line: string): unknown };
  readonly plugins: readonly Plugin[];
}

async function play(
  isSubmitted: boolean,
  { plugins, ...parts }: Stage,
  note: (event: unknown) => void,
): Promise<Agent> {
  const ask = (name: string) => ({ toolCalls: [{ name, args: { to: valueOf('model') } }] });
  const model = scriptedModel([
    ask('look'),
    ask('send'),
    ask('send'),
    ask('fail'),
    { text: `It is ${valueOf('model')}.` },
    { error: modelError('MODEL_BAD_REQUEST', { message: `no ${valueOf('fault')}` }) },
  ]);
  const executed: string[] = [];
  const agent = await createAgent({
    name: 'sinks',
    model,
    log: 'trace',
    tools: toolsNoting(executed),
    plugins,
    ...parts,
  });
  const input: MessageInput = {
    role: 'user',
    content: `I am ${valueOf('input')}`,
    metadata: { app: { mail: valueOf('metadata') } },
  };
  const answers: ((request: Interrupt) => JsonValue)[] = [
    () => ({ mail: valueOf('answer') }),
    () => ({ decision: 'reject', reason: `not to ${valueOf('reason')}` }),
    () => ({ decision: 'edit', args: { to: valueOf('edit') } }),
  ];
  if (isSubmitted) await agent.submit([input], { sessionId: 's' });
  let stream = isSubmitted ? agent.streamResume('s') : agent.stream([input], { sessionId: 's' });
  for (;;) {
    for await (const event of stream) if (event.type !== 'run-end') note(event);
    const { interrupts } = await stream.result;
    const [question] = interrupts;
    const answer = answers.shift();
    if (question === undefined || answer === undefined) break;
    stream = agent.streamResume('s', { [question.id]: answer(question) });
  }
  await agent.run('Again', { sessionId: 's' }).catch(() => 'it fails');
  if (model.requests.length !== 6) throw new Error(`the model was called ${model.requests.length} times`);
  const wanted = ['look model', 'send edit', 'fail model'];
  if (String(executed) !== String(wanted)) throw new Error(`the tools got ${String(executed)}`);
  return agent;
}

const to = { type: 'object', properties: { to: { type: 'string' } } } as const;
/** Returns tools that record which of the values each was called with, unredacted. */
function toolsNoting(executed: string[]): Tool[] {
  const note = (name: string, given: unknown): void => {
    const value = String(Reflect.get(Object(given), 'to'));
    const source = sources.find((each) => valueOf(each) === value);
    executed.push(`${name} ${source ?? value}`);
  };
  return [
    defineTool({
      name: 'look',
      description: 'Looks something up, and asks.',
      input: to,
      async execute(given, { interrupt, once, progress }) {
        await once('seen', () => valueOf('once'));
        await progress(`found ${valueOf('progress')} `);
        await interrupt({ kind: 'question', payload: given, answer: {} });
        note('look', given);
        const mail = valueOf('result');
        return { content: [{ type: 'text', text: mail }], data: { mail }, metadata: { look: { mail } } };
      },
    }),
    defineTool({
      name: 'send',
      description: 'Sends.',
      input: to,
      execute(given) {
        note('send', given);
        return `Sent to ${valueOf('edit')}`;
      },
    }),
    defineTool({
      name: 'fail',
      description: 'Fails.',
      input: to,
      execute(given) {
        note('fail', given);
        throw new Error(`no ${valueOf('error')}`);
      },
    }),
  ];
}

function said(text: string) {
  return {
    message: { role: 'assistant' as const, content: [{ type: 'text' as const, text }] },
    finish: 'stop' as const,
  };
}

/** Returns the store with `commit` called before and after each commit. */
function watched(store: Store, commit: (when: 'before' | 'after') => void | Promise<void>): Store {
  return {
    ...store,
    async commit(...change) {
      await commit('before');
      const revision = await store.commit(...change);
      await commit('after');
      return revision;
    },
  };
}
