import {
  createAgent,
  defineTool,
  memoryStore,
  type Agent,
  type AgentOptions,
  type Logger,
  type Plugin,
  type RunResult,
  type Tool,
} from '@shallot/core';
import { memoryFiles, type Files } from '@shallot/core/files';
import { modelError } from '@shallot/core/model';
import { scriptedModel, type ScriptedModel, type ScriptedStep } from '@shallot/testing';

/** The observations of an agent that lacks something, for a row of the table. */
export interface Witness {
  /** The codes of all warnings, those of the log included, over two runs in one session. */
  readonly warnings: readonly string[];
  readonly first: RunResult;
  readonly model: ScriptedModel;
  /** The number of executions of `look` and all other tools. */
  readonly executed: number;
}

/** An agent that lacks something: its plugins, and other options that matter for the row. */
export interface Lacking {
  readonly plugins: readonly Plugin[];
  readonly steps?: readonly ScriptedStep[];
  readonly options?: Partial<AgentOptions>;
  readonly input?: string;
  /** Acts on the agent before its first run. */
  readonly before?: (agent: Agent) => Promise<unknown>;
}

/**
 * Plays two runs in one session, or one if it asks a question.
 * @throws the error of the start or of a run
 */
export async function witness({
  plugins,
  steps = [],
  options,
  input = 'Go',
  before,
}: Lacking): Promise<Witness> {
  const warnings: string[] = [];
  const model = scriptedModel([...steps, ...Array.from({ length: 20 }, () => ({ text: 'Done.' }))]);
  let executed = 0;
  const counted = (tool: Tool): Tool => ({
    ...tool,
    execute(args, context) {
      executed += 1;
      return tool.execute(args, context);
    },
  });
  const tools = (options?.tools ?? [look]).map((tool) => counted(tool));
  await using agent = await createAgent({
    model,
    store: memoryStore(),
    files: memoryFiles(),
    ...options,
    log: warningsTo(warnings),
    tools,
    plugins,
  });
  // Waits until each server has connected or failed, so that its warnings are recorded.
  await agent.settled();
  await before?.(agent);
  const first = await agent.run(input, { sessionId: 's' });
  if (first.outcome !== 'interrupted') await agent.run(input, { sessionId: 's' });
  return { warnings, first, model, executed };
}

/** Returns a log that records warnings by code, or by text if they have no code. */
function warningsTo(codes: string[]): Logger {
  const ignore = (): void => {};
  const warn = (details: object | string, message = ''): void => {
    const code: unknown = typeof details === 'string' ? undefined : Reflect.get(details, 'code');
    codes.push(typeof code === 'string' ? code : typeof details === 'string' ? details : message);
  };
  const log: Logger = {
    trace: ignore,
    debug: ignore,
    info: ignore,
    warn,
    error: ignore,
    fatal: ignore,
    child: () => log,
  };
  return log;
}

export const look = defineTool({
  name: 'look',
  description: 'Looks.',
  input: { type: 'object' },
  effect: 'read',
  execute: () => 'a hive',
});

export const busy: ScriptedStep = { error: modelError('MODEL_OVERLOADED', { message: 'busy' }) };
export const calls = (...names: readonly string[]): ScriptedStep => ({
  text: 'word '.repeat(200),
  toolCalls: names.map((name) => ({ name })),
});

/** Returns a file service that fails at every call. */
export function brokenFiles(): Files {
  const fail = (): Promise<never> => Promise.reject(new Error('the disk is gone'));
  return new Proxy(memoryFiles(), {
    get(files, key): unknown {
      const member: unknown = Reflect.get(files, key);
      return typeof member === 'function' ? fail : member;
    },
  });
}
