import { describeValue } from './base/describe-value.ts';
import { isShallotError } from './base/errors.ts';
import { messageOf } from './base/thrown.ts';
import { definePlugin } from './contract/define-plugin.ts';
import { textOf } from './contract/messages.ts';
import type { Plugin } from './contract/plugin.ts';
import type { RunInfo } from './contract/run-info.ts';
import type { Tool, ToolCall, ToolResult } from './contract/tool.ts';
import type { LogLevel } from './log/logger.ts';

/** Joins instructions with blank lines; omits empty parts. @throws a `TypeError` for anything but strings */
export function joinInstructions(...parts: readonly (string | undefined)[]): string {
  const odd: unknown = parts.find((part) => part !== undefined && typeof part !== 'string');
  if (odd !== undefined) throw new TypeError(`Instructions are ${describeValue(odd)}; write a string.`);
  return parts.filter((part) => part !== undefined && part.trim() !== '').join('\n\n');
}

/**
 * Creates a plugin that adds instructions to every model call: a string, or the result of a function of the run. They are
 * never stored.
 */
export function withInstructions(
  text: string | ((run: RunInfo) => string | Promise<string>),
  name = 'with-instructions',
): Plugin {
  return definePlugin({
    name,
    async wrapModelCall(request, next, { run }) {
      const added = typeof text === 'string' ? text : await text(run);
      return next({ ...request, instructions: joinInstructions(request.instructions, added) });
    },
  })();
}

/** Creates a plugin that adds tools. */
export function withTools(tools: Tool | readonly Tool[], name = 'with-tools'): Plugin {
  return definePlugin({ name, tools: [tools].flat() })();
}

/** Creates a plugin that hides tools from the model, by name or by a predicate; a hidden tool cannot be called. */
export function removeTools(
  which: readonly string[] | ((tool: Tool, run: RunInfo) => boolean),
  name = 'remove-tools',
): Plugin {
  const isRemoved = typeof which === 'function' ? which : (tool: Tool): boolean => which.includes(tool.name);
  return definePlugin({
    name,
    beforeModel(request, run) {
      const tools = request.tools?.filter((tool) => !isRemoved(tool, run));
      return tools === undefined || tools.length === request.tools?.length
        ? undefined
        : { ...request, tools };
    },
  })();
}

/**
 * Creates a plugin that ends the run with a tool's result as its answer, unless it is an error, for tools by name or by
 * a predicate.
 */
export function returnDirectlyOn(
  which: readonly string[] | ((call: ToolCall, result: ToolResult) => boolean),
  name = 'return-directly-on',
): Plugin {
  const ends = typeof which === 'function' ? which : (call: ToolCall): boolean => which.includes(call.name);
  return definePlugin({
    name,
    async wrapToolCall(call, next, { run }) {
      const result = await next(call);
      if (result.isError !== true && ends(call, result)) run.end(textOf(result));
      return result;
    },
  })();
}

/** Creates a plugin that logs every tool call with its duration and success, without arguments and results. */
export function logToolCalls(level: Exclude<LogLevel, 'silent'> = 'info', name = 'log-tool-calls'): Plugin {
  return definePlugin({
    name,
    async wrapToolCall(call, next, { run }) {
      const started = performance.now();
      const details = (): object => ({
        tool: call.name,
        callId: call.id,
        ms: Math.round(performance.now() - started),
      });
      try {
        const result = await next(call);
        const outcome = result.denied !== undefined ? 'denied' : result.isError === true ? 'failed' : 'ok';
        run.log[level]({ ...details(), outcome }, `tool ${call.name}: ${outcome}`);
        return result;
      } catch (error) {
        const code = isShallotError(error) ? error.code : messageOf(error);
        run.log[level]({ ...details(), outcome: 'threw', code }, `tool ${call.name}: ${code}`);
        throw error;
      }
    },
  })();
}
