import type { JsonValue } from '../../src/base/json.ts';
import { definePlugin } from '../../src/contract/define-plugin.ts';
import type { Plugin } from '../../src/contract/plugin.ts';
import { defineTool, type Tool, type ToolContext } from '../../src/contract/tool.ts';

/** The places at which a run may ask questions. */
export const places = ['beforeModel', 'afterModel', 'layer', 'gate', 'tool'] as const;
export type Place = (typeof places)[number];

/** Returns a tool that asks two questions before it executes the given one. */
export function askingTool(tool: Tool): Tool {
  return defineTool({
    ...tool,
    input: tool.inputSchema,
    async execute(args, context) {
      if (isAskedAbout(tool.name)) {
        await ask(context, 'tool', 'may I?');
        await context.once('between', () => null);
        await ask(context, 'tool', 'really?');
      }
      return tool.execute(args, context);
    },
  });
}

/** Creates a plugin that asks questions at these places. */
export function askingPlugin(asking: readonly Place[]): Plugin {
  return definePlugin({
    name: 'asking',
    setup({ hooks }) {
      if (asking.includes('beforeModel'))
        hooks.beforeModel.tap('ask', (_, run) => ask(run, 'beforeModel', run.step));
      if (asking.includes('afterModel'))
        hooks.afterModel.tap('ask', (_, run) => ask(run, 'afterModel', run.step));
      if (asking.includes('layer'))
        hooks.wrapToolCall.tapPromise('ask', async (call, next, scope) => {
          if (isAskedAbout(call.name)) await ask(scope, 'layer', call.name);
          return next(call);
        });
      if (asking.includes('gate'))
        hooks.wrapToolCall.tapPromise({ name: 'ask', gate: true }, async (call, next, scope) => {
          if (isAskedAbout(call.name)) await ask(scope, 'gate', call.name);
          return next(call);
        });
    },
  })();
}

/** Returns false for the tool that is retried, because each retry would rightly ask its questions again. */
function isAskedAbout(tool: string): boolean {
  return tool !== 'flaky';
}

async function ask(by: Pick<ToolContext, 'interrupt'>, kind: Place, payload: JsonValue): Promise<void> {
  await by.interrupt({ kind, payload, answer: { const: 'yes' } });
}
