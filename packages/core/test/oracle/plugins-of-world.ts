import type { Hooks } from '../../src/contract/hooks.ts';
import { definePlugin, type Plugin } from '../../src/index.ts';
import { actsOn, type Actor } from './actor.ts';
import type { Life } from './life.ts';
import type { PluginPlan, TapPlan } from './model/world.ts';
import { tapAround } from './tap-around.ts';
import { tapThrough } from './tap-through.ts';

/** Creates the plugins of a world, outermost first. */
export function pluginsOfWorld(life: Life): Plugin[] {
  const { plugins } = life.course.world;
  const hasLayers = plugins.some(({ taps }) => taps.some(({ hook }) => hook === 'wrapModelCall'));
  return [...(hasLayers ? [answered(life)] : []), ...plugins.map((plan) => pluginOf(plan, life))];
}

/** Creates the outermost layer, which notes the answers that have passed through all other layers before an abort. */
function answered(life: Life): Plugin {
  return definePlugin({
    name: 'answered',
    async wrapModelCall(request, next, { run, signal }) {
      const response = await next(request);
      if (!signal.aborted)
        life.course.answersLast({ run: Number(run.context), step: run.step }, life.note('answer'));
      return response;
    },
  })();
}

function pluginOf({ name, scope, taps }: PluginPlan, life: Life): Plugin {
  return definePlugin({
    name,
    setup({ hooks, state }) {
      const counter = state<number>({ key: 'count', scope, initial: () => 0 });
      const actor = actsOn(life, name, (run) => counter.update(run, (count) => count + 1));
      for (const tap of taps) tapHook(hooks, tap, actor);
    },
  })();
}

function tapHook(hooks: Hooks, tap: TapPlan, actor: Actor): void {
  if (tap.hook === 'wrapModelCall' || tap.hook === 'wrapToolCall' || tap.hook === 'gate')
    tapAround(hooks, tap, actor);
  else tapThrough(hooks, tap, actor);
}
