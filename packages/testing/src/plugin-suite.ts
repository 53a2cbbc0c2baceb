import {
  type Agent,
  isShallotError,
  type JsonValue,
  type AgentOptions,
  type Plugin,
  type PluginDefinition,
  type PluginEntry,
  type PluginFactory,
  type RunResult,
  defineTool,
  type Tool,
  createAgent,
} from '@shallot/core';
import type { Files } from '@shallot/core/files';
import type { ChatModel, ModelRequest } from '@shallot/core/model';
import type { Store } from '@shallot/core/store';

import { scriptedModel, type ScriptedModel, type ScriptedStep } from './scripted-model.ts';

/** The settings of the conformance suite for one plugin. */
export interface PluginSuite<Input = unknown> {
  /** Options of the plugin. Default: none. */
  readonly options?: Input;
  /** Options of a second instance in the same agent, if one set of options cannot serve both. Default: `options`. */
  readonly secondOptions?: Input;
  /** The URL of the plugin's package.json: `new URL('../package.json', import.meta.url)`. */
  readonly manifest?: URL;
  /** Agent options that the plugin needs, such as required plugins, files or a store. */
  readonly agent?: Omit<Partial<AgentOptions>, 'model' | 'name'>;
  /**
   * Examples of what older versions of the plugin stored in session or run state: `{ spent: { 1: 50 } }` for the state `spent`,
   * which is at version 2 now.
   */
  readonly olderState?: Readonly<Record<string, Readonly<Record<number, JsonValue>>>>;
  /** Secret values in `options` whose names do not mark them as secrets, as `apiKey` does. */
  readonly secrets?: readonly string[];
  /** Checks to skip, each by its name with the reason. */
  readonly skip?: Readonly<Record<string, string>>;
}

/** The plugin under test, in agents made for the suite. */
export interface PluginSubject {
  readonly definition: PluginDefinition;
  readonly options: unknown;
  readonly olderState: NonNullable<PluginSuite['olderState']>;
  readonly secrets: readonly string[];
  /** The files that the plugin needs, if the suite names some. */
  readonly files: Files | undefined;
  /** Returns a new instance with the options of the suite. */
  plugin(): Plugin;
  /** Returns an instance with other options. */
  pluginWith(options: unknown): Plugin;
  /** Returns a second instance for the same agent. */
  secondPlugin(): Plugin;
  /** Runs a function with an agent that has the plugin, then closes it. */
  withAgent<T>(parts: AgentParts, use: (agent: Agent) => Promise<T>): Promise<T>;
}

/** Parts that the suite replaces in an agent. */
export interface AgentParts {
  readonly model?: ChatModel;
  readonly tools?: readonly Tool[];
  /** The plugins to use in place of the plugin alone, outermost first. */
  readonly plugins?: readonly PluginEntry[];
  readonly store?: Store;
  readonly files?: Files;
}

export function pluginSubject<Input>(
  factory: PluginFactory<Input>,
  suite: PluginSuite<Input>,
): PluginSubject {
  const { options, secondOptions = options, agent: own = {}, olderState = {}, secrets = [] } = suite;
  // A factory takes one argument, optional or not; the author of the suite gave it where it is required.
  const make = factory as unknown as (options: Input | undefined) => Plugin;
  const plugin = (): Plugin => make(options);
  return {
    definition: factory.definition,
    options,
    olderState,
    secrets,
    files: typeof own.files === 'function' ? undefined : own.files,
    plugin,
    pluginWith: (other) => (make as (given: unknown) => Plugin)(other),
    secondPlugin: () => make(secondOptions),
    async withAgent({ model = echoingModel(), tools = [echo], plugins = [plugin()], store, files }, use) {
      const agent = await createAgent({
        log: 'silent',
        ...own,
        ...(store === undefined ? {} : { store }),
        ...(files === undefined ? {} : { files }),
        model,
        tools: [...(own.tools ?? []), ...tools],
        plugins: [...(own.plugins ?? []), ...plugins],
      });
      try {
        return await use(agent);
      } finally {
        await agent.close();
      }
    },
  };
}

/** A tool whose name matches no plugin's rules. */
const echo = defineTool({
  name: 'conformance_echo',
  description: 'Gives back its text.',
  input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  effect: 'read',
  execute: (args) => args,
});

/**
 * Returns a model that calls the tool once, then answers. It serves any number of sessions, and calls of plugins'
 * own.
 */
export function echoingModel(tool = 'conformance_echo'): ScriptedModel {
  const step = ({ messages, tools }: ModelRequest): ScriptedStep => {
    const called = messages.some((message) => message.role === 'tool' && message.name === tool);
    const offered = tools?.some(({ name }) => name === tool) ?? false;
    if (called || !offered) return { text: 'All is done, and here is the answer.' };
    return { text: 'One moment.', toolCalls: [{ name: tool, args: { text: 'an onion' } }] };
  };
  return scriptedModel(Array.from({ length: 1000 }, () => step));
}

/** Returns the result of a run, even if it failed or was aborted. Rejects with an error that has no result. */
export async function resultOf(run: Promise<RunResult>): Promise<RunResult> {
  try {
    return await run;
  } catch (error) {
    if (isShallotError(error) && error.result !== undefined) return error.result;
    throw error;
  }
}

/** Returns the deterministic part of a result. */
export function comparable({
  outcome,
  stopReason,
  text,
  output,
  messages,
  interrupts,
  steps,
}: RunResult): unknown {
  return {
    outcome,
    stopReason,
    text,
    output,
    steps,
    interrupts: interrupts.map(({ kind, plugin }) => ({ kind, plugin })),
    messages: messages.map(({ role, content, source }) => ({ role, source, content: withoutIds(content) })),
  };
}

/** Returns content without tool call ids, which may be random. */
export function withoutIds(content: readonly object[]): object[] {
  return content.map((part) => ({ ...part, id: undefined, metadata: undefined }));
}
