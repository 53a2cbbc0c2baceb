import type { HookName } from '../base/hook-names.ts';
import type { LayerInfo, PlaceReason } from '../contract/hooks.ts';
import { priorityFor } from '../contract/priority.ts';
import { LiveTap, type TapRegistration } from './live-tap.ts';
import { sortOutsideIn, type EdgeMove, type Placed } from './order.ts';
import type { Owner } from './owner.ts';
import type { PluginTaps } from './plugin-taps.ts';

interface PlacedTap extends Placed {
  readonly owner: Owner;
  readonly of: PluginTaps;
  readonly registration: TapRegistration;
  readonly count: number;
}

const insideOut: ReadonlySet<HookName> = new Set(['afterModel', 'afterAgent']);

/** The taps of one hook, in the order of execution. @throws `ORDER_CYCLE` */
export function placeTaps(hook: HookName, plugins: readonly PluginTaps[]): LiveTap[] {
  return inOrderOf(hook, orderTaps(hook, plugins)).map(toLive);
}

/** The same taps, each with the reason of its place. */
export function explainPlaces(hook: HookName, plugins: readonly PluginTaps[]): LayerInfo[] {
  const moves = new Map<PlacedTap, EdgeMove>();
  const outsideIn = orderTaps(hook, plugins, moves);
  const reasons = new Map(
    outsideIn.map((tap, index) => [tap, reasonOf(tap, hook, outsideIn.slice(0, index), moves)]),
  );
  return inOrderOf(hook, outsideIn).flatMap((tap, stage) => {
    const reason = reasons.get(tap);
    return reason === undefined ? [] : [Object.freeze({ ...toLive(tap, stage).info, reason })];
  });
}

/** Outermost first. */
function orderTaps(
  hook: HookName,
  plugins: readonly PluginTaps[],
  moves?: Map<PlacedTap, EdgeMove>,
): PlacedTap[] {
  const placed = plugins.flatMap((plugin, index) => placedTaps(hook, plugin, index));
  // Gates are inside every other layer, so each kind is put in order by itself: an edge never crosses between them.
  const layers = placed.filter((tap) => !tap.registration.gate);
  const gates = placed.filter((tap) => tap.registration.gate);
  return [...sortOutsideIn(layers, moves), ...sortOutsideIn(gates, moves)];
}

function inOrderOf(hook: HookName, outsideIn: readonly PlacedTap[]): readonly PlacedTap[] {
  return insideOut.has(hook) ? outsideIn.toReversed() : outsideIn;
}

function toLive({ owner, registration, priority, count }: PlacedTap, stage: number): LiveTap {
  return new LiveTap(owner, registration, priority, stage, count);
}

function placedTaps(hook: HookName, plugin: PluginTaps, index: number): PlacedTap[] {
  const labels = new Map<string, number>();
  return plugin.taps
    .filter((tap) => tap.hook === hook)
    .map((registration, position, all) => {
      const count = (labels.get(registration.name) ?? 0) + 1;
      labels.set(registration.name, count);
      return {
        plugin: plugin.owner,
        owner: plugin.owner,
        of: plugin,
        priority: registration.priority ?? priorityFor(plugin.priority, hook),
        // A plugin's own taps stay together, the first one outermost.
        listed: index + position / (all.length + 1),
        outside: plugin.outside,
        inside: plugin.inside,
        registration,
        count,
      };
    });
}

function reasonOf(
  tap: PlacedTap,
  hook: HookName,
  outer: readonly PlacedTap[],
  moves: ReadonlyMap<PlacedTap, EdgeMove>,
): PlaceReason {
  const priority = priorityGiver(tap, hook);
  const move = moves.get(tap);
  if (move !== undefined) {
    const { kind, target } = move;
    return { priority, edge: { kind, target: target.id, from: edgeGiver(tap, move) } };
  }
  // What edges have moved says nothing about the place of others.
  const before = outer.findLast(
    (each) => !moves.has(each) && each.registration.gate === tap.registration.gate,
  );
  return before?.priority === tap.priority ? { priority, tie: before.owner.id } : { priority };
}

function priorityGiver({ of, registration }: PlacedTap, hook: HookName): PlaceReason['priority'] {
  if (registration.priority !== undefined) return 'tap';
  const { priority } = of;
  const isGiven =
    typeof priority === 'object'
      ? priority[hook] !== undefined || priority.default !== undefined
      : priority !== undefined;
  if (!isGiven) return 'default';
  return of.entry.priority === undefined ? 'plugin' : 'entry';
}

/** An entry may call the target by its id, or by its name. */
function edgeGiver({ of }: PlacedTap, { kind, target: { id, name } }: EdgeMove): 'entry' | 'plugin' {
  const written = of.entry[kind] ?? [];
  return written.includes(id) || written.includes(name) ? 'entry' : 'plugin';
}
