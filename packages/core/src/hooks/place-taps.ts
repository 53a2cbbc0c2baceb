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

/** Returns the taps of a hook in the order of execution. @throws `ORDER_CYCLE` */
export function placeTaps(hook: HookName, plugins: readonly PluginTaps[]): LiveTap[] {
  return inOrderOf(hook, orderTaps(hook, plugins)).map(toLive);
}

/** Returns the taps of a hook in the order of execution, with the reasons for their places. */
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

/** Returns the taps of a hook, outermost first. */
function orderTaps(
  hook: HookName,
  plugins: readonly PluginTaps[],
  moves?: Map<PlacedTap, EdgeMove>,
): PlacedTap[] {
  const placed = plugins.flatMap((plugin) => placedTaps(hook, plugin));
  // Each kind is sorted by itself: gates are inside all layers, and an edge never crosses kinds.
  return kinds.flatMap((kind) =>
    sortOutsideIn(
      placed.filter((tap) => kindOf(tap) === kind),
      moves,
    ),
  );
}

/** The kinds of taps, in the order in which they are called. */
const kinds = ['input', 'layer', 'gate', 'result'] as const;

function kindOf({ registration: { gate, on } }: PlacedTap): (typeof kinds)[number] {
  return on ?? (gate ? 'gate' : 'layer');
}

function inOrderOf(hook: HookName, outsideIn: readonly PlacedTap[]): readonly PlacedTap[] {
  if (insideOut.has(hook)) return outsideIn.toReversed();
  const results = outsideIn.filter((tap) => kindOf(tap) === 'result');
  if (results.length < 2) return outsideIn;
  return [...outsideIn.slice(0, -results.length), ...results.toReversed()];
}

function toLive({ owner, registration, priority, count }: PlacedTap, stage: number): LiveTap {
  return new LiveTap(owner, registration, priority, stage, count);
}

function placedTaps(hook: HookName, plugin: PluginTaps): PlacedTap[] {
  const labels = new Map<string, number>();
  return plugin.taps
    .filter((tap) => tap.hook === hook)
    .map((registration) => {
      const count = (labels.get(registration.name) ?? 0) + 1;
      labels.set(registration.name, count);
      return {
        plugin: plugin.owner,
        owner: plugin.owner,
        of: plugin,
        priority: registration.priority ?? priorityFor(plugin.priority, hook),
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
  // Taps moved by edges do not explain the places of others.
  const before = outer.findLast((each) => !moves.has(each) && kindOf(each) === kindOf(tap));
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

/** Edges name their target by id or by name. */
function edgeGiver({ of }: PlacedTap, { kind, target: { id, name } }: EdgeMove): 'entry' | 'plugin' {
  const written = of.entry[kind] ?? [];
  return written.includes(id) || written.includes(name) ? 'entry' : 'plugin';
}
