import { definePlugin, type Plugin, type PluginDefinition, type Tool } from '@shallot/core';
import type { ChatModel } from '@shallot/core/model';
import { hookNames, type HookName, messageOf, type PluginSetup } from '@shallot/core/plugin';

/** Options of `traceHooks`. */
export interface TraceHooksOptions {
  /** The plugin's name, which begins each line. Default: `trace`. */
  readonly name?: string;
  readonly priority?: NonNullable<PluginDefinition['priority']>;
  /** The hooks to trace. Default: all six. */
  readonly hooks?: readonly HookName[];
  /** Makes the tap of `wrapToolCall` a gate. Default: false. */
  readonly gate?: boolean;
  /** Also taps the input (`beforeAgent input`) and results (`wrapToolCall add result`) alone. Default: false. */
  readonly stored?: boolean;
  /** The array that receives the lines. Default: a new one. */
  readonly lines?: string[];
}

/** A plugin that records hook calls and changes nothing. */
export type TracePlugin = Plugin & { readonly lines: readonly string[] };

/** A record shared by plugins, a model and tools. */
export interface HookTrace {
  /**
   * Lines such as `a beforeModel`, `a wrapModelCall >` (in), `a wrapModelCall <` (out), `a wrapModelCall ! reset`
   * (threw).
   */
  readonly lines: readonly string[];
  /** Creates a plugin that passes everything through and records it. */
  plugin(
    name: string,
    priority?: NonNullable<PluginDefinition['priority']>,
    options?: Pick<TraceHooksOptions, 'hooks' | 'gate' | 'stored'>,
  ): TracePlugin;
  /** Wraps a model to record its calls as `model`. */
  model(model: ChatModel): ChatModel;
  /** Wraps a tool to record its executions as `tool` and its name. */
  tool(tool: Tool): Tool;
  /** Returns the lines so far and clears the record. */
  take(): string[];
}

/** Creates a record of calls through the onion, for snapshots. */
export function hookTrace(): HookTrace {
  const lines: string[] = [];
  return {
    lines,
    plugin: (name, priority, options) =>
      traceHooks({ ...options, name, lines, ...(priority === undefined ? {} : { priority }) }),
    model: (model) => ({
      id: model.id,
      ...(model.limits === undefined ? {} : { limits: model.limits }),
      generate(request, call) {
        lines.push('model');
        return model.generate(request, call);
      },
    }),
    tool: (tool) => ({
      ...tool,
      execute(args, context) {
        lines.push(`tool ${tool.name}`);
        return tool.execute(args, context);
      },
    }),
    take: () => lines.splice(0),
  };
}

/**
 * Creates a plugin that passes everything through and records it in its `lines`. To trace several plugins, use
 * `hookTrace`.
 */
export function traceHooks({
  name = 'trace',
  priority,
  hooks = hookNames,
  gate = false,
  stored = false,
  lines = [],
}: TraceHooksOptions = {}): TracePlugin {
  const setup = (plugin: PluginSetup): void => tapAll(plugin, { name, hooks, gate, stored, lines });
  const plugin = definePlugin({ name, ...(priority === undefined ? {} : { priority }), setup })();
  return Object.freeze({ ...plugin, lines });
}

function tapAll(
  { hooks }: PluginSetup,
  { name, hooks: traced, gate, stored, lines }: Required<Omit<TraceHooksOptions, 'priority'>>,
): void {
  const record = (line: string): void => void lines.push(`${name} ${line}`);
  const around = async <T>(what: string, next: () => Promise<T>): Promise<T> => {
    record(`${what} >`);
    try {
      const result = await next();
      record(`${what} <`);
      return result;
    } catch (error) {
      record(`${what} ! ${messageOf(error)}`);
      throw error;
    }
  };
  const taps: Record<HookName, () => void> = {
    beforeAgent: () => hooks.beforeAgent.tap('trace', () => record('beforeAgent')),
    beforeModel: () => hooks.beforeModel.tap('trace', () => record('beforeModel')),
    wrapModelCall: () =>
      hooks.wrapModelCall.tapPromise('trace', (request, next) =>
        around('wrapModelCall', () => next(request)),
      ),
    afterModel: () => hooks.afterModel.tap('trace', () => record('afterModel')),
    wrapToolCall: () =>
      hooks.wrapToolCall.tapPromise({ name: 'trace', gate }, (call, next) =>
        around(`wrapToolCall ${call.name}`, () => next(call)),
      ),
    afterAgent: () => hooks.afterAgent.tap('trace', (result) => record(`afterAgent ${result.outcome}`)),
  };
  for (const hook of traced) taps[hook]();
  if (!stored) return;
  hooks.beforeAgent.tap({ name: 'trace input', input: true }, (_, { kind }) => record(`beforeAgent ${kind}`));
  hooks.wrapToolCall.tap({ name: 'trace result', result: true }, (_, call) =>
    record(`wrapToolCall ${call.name} result`),
  );
}
