import { setImmediate } from 'node:timers/promises';

import type { ToolContext } from '../../src/contract/tool.ts';
import { definePlugin, defineTool, type Plugin, type Tool } from '../../src/index.ts';
import { question } from './actor.ts';
import type { Execution } from './course.ts';
import type { Life } from './life.ts';
import type { CallInput } from './model/session.ts';
import { effectText } from './model/tool-calls.ts';
import { answerPlan, resultText, toolNames, type ToolName } from './model/world.ts';

const effects = { look: 'read', stamp: 'idempotent', pay: 'write', show: 'write' } as const;

/** Creates the plugin that adds the tools of a world and keeps their count. */
export function toolsOfWorld(life: Life): Plugin {
  return definePlugin({
    name: 'tools',
    setup({ tools, state }) {
      const counter = state<number>({ key: 'count', initial: () => 0 });
      const count = ({ run }: ToolContext): null => {
        life.begins('once of a tool');
        counter.update(run, (before) => before + 1);
        return null;
      };
      for (const name of toolNames) tools.add(toolOf(name, life, count));
    },
  })();
}

function toolOf(name: ToolName, life: Life, count: (context: ToolContext) => null): Tool {
  return defineTool({
    name,
    description: `Has an effect: ${name}.`,
    input: { type: 'object' },
    effect: effects[name],
    returnDirectly: name === 'show',
    async execute(args, context) {
      const input = args as unknown as CallInput;
      const { course } = life;
      life.begins(`${name} r${input.run}s${input.step}c${input.call}`);
      for (const { what, id } of answerPlan(course.world, input, input.asked)[input.call]?.acts ?? []) {
        course.events.add(`tool ${what}`);
        if (what === 'count') await context.once(id, () => count(context));
        if (what === 'ask') await context.interrupt(question(id));
        if (what === 'throw') throw new Error(id);
      }
      const execution: Execution = { effect: effectText({ name, input }), isDone: false };
      course.executions.push(execution);
      await life.pass('tool');
      // An abandoned tool must have no effect later: the answer about its effect has to stay true.
      context.signal.throwIfAborted();
      execution.isDone = true;
      course.trace.push(`done ${execution.effect}`);
      await life.pass('tool');
      if (course.world.store === 'slow') await setImmediate();
      if (!context.signal.aborted) execution.result = life.note('result');
      return resultText(name);
    },
  });
}
