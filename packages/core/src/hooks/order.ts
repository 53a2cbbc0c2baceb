import { ShallotError } from '../base/errors.ts';

/** An item with a place in the order: a tap, or a plugin. */
export interface Placed {
  readonly plugin: { readonly id: string; readonly name: string };
  readonly priority: number;
  readonly outside: readonly string[];
  readonly inside: readonly string[];
}

/** The edge that moved an item, and the plugin it refers to. */
export interface EdgeMove {
  readonly kind: 'outside' | 'inside';
  readonly target: Placed['plugin'];
}

/**
 * Returns the items outermost first: by priority, then in the given order. Then each item with an edge that this order
 * violates is moved next to its target. Edges to absent plugins are ignored. `moves` receives the last edge that moved
 * each item. @throws `ORDER_CYCLE` if the edges cannot all be satisfied
 */
export function sortOutsideIn<T extends Placed>(items: readonly T[], moves?: Map<T, EdgeMove>): T[] {
  const sorted = items.toSorted((a, b) => b.priority - a.priority);
  const declaring = sorted.filter((item) => item.outside.length > 0 || item.inside.length > 0);
  if (declaring.length === 0) return sorted;
  const edges = new Edges(sorted);
  rejectCycles(edges, sorted, declaring);
  // Moving one item can violate an edge satisfied before; a chain of edges needs one round per link.
  for (let round = 0; round <= sorted.length; round += 1) {
    const outwards = declaring.map((item) => moveOutwards(edges, sorted, item, moves));
    // Backwards, so that several taps of one plugin keep their relative order.
    const inwards = declaring.toReversed().map((item) => moveInwards(edges, sorted, item, moves));
    if (![...outwards, ...inwards].includes(true)) return sorted;
  }
  throw unsatisfiable(declaring);
}

/** Moves an item outside of its targets. Returns true if it was not there. */
function moveOutwards<T extends Placed>(
  edges: Edges,
  sorted: T[],
  item: T,
  moves: Map<T, EdgeMove> | undefined,
): boolean {
  const at = sorted.indexOf(item);
  const target = sorted.findIndex((other) => edges.lead(item, item.outside, other));
  if (target === -1 || target > at) return false;
  noteMove(moves, item, 'outside', sorted[target]);
  move(sorted, at, target);
  return true;
}

/** Moves an item inside of its targets. Returns true if it was not there. */
function moveInwards<T extends Placed>(
  edges: Edges,
  sorted: T[],
  item: T,
  moves: Map<T, EdgeMove> | undefined,
): boolean {
  const at = sorted.indexOf(item);
  const target = sorted.findLastIndex((other) => edges.lead(item, item.inside, other));
  if (target <= at) return false;
  noteMove(moves, item, 'inside', sorted[target]);
  move(sorted, at, target);
  return true;
}

function noteMove<T extends Placed>(
  moves: Map<T, EdgeMove> | undefined,
  item: T,
  kind: EdgeMove['kind'],
  target: T | undefined,
): void {
  if (target !== undefined) moves?.set(item, { kind, target: target.plugin });
}

function move(list: unknown[], from: number, to: number): void {
  list.splice(to, 0, ...list.splice(from, 1));
}

/** The `outside` and `inside` edges among these items. */
class Edges {
  readonly #ids: ReadonlySet<string>;

  constructor(items: readonly Placed[]) {
    this.#ids = new Set(items.map(({ plugin }) => plugin.id));
  }

  /** Returns true if the item's list names the other plugin: by id, or by name if no item has that name as its id. */
  lead(item: Placed, list: readonly string[], { plugin }: Placed): boolean {
    if (plugin.id === item.plugin.id) return false;
    return list.includes(plugin.id) || (list.includes(plugin.name) && !this.#ids.has(plugin.name));
  }
}

function rejectCycles<T extends Placed>(edges: Edges, items: readonly T[], declaring: readonly T[]): void {
  const inner = new Map<string, Set<string>>();
  const link = (outer: string, target: string): void => {
    const targets = inner.get(outer) ?? new Set();
    inner.set(outer, targets.add(target));
  };
  for (const item of declaring) {
    for (const other of items) {
      if (edges.lead(item, item.outside, other)) link(item.plugin.id, other.plugin.id);
      if (edges.lead(item, item.inside, other)) link(other.plugin.id, item.plugin.id);
    }
  }
  const done = new Set<string>();
  const visit = (id: string, chain: readonly string[]): void => {
    if (done.has(id)) return;
    const start = chain.indexOf(id);
    if (start !== -1) throw cycle([...chain.slice(start), id]);
    for (const target of inner.get(id) ?? []) visit(target, [...chain, id]);
    done.add(id);
  };
  for (const id of inner.keys()) visit(id, []);
}

/**
 * Returns the error for edges that are possible one by one, but not all together: only plugins that declare an edge are
 * moved.
 */
function unsatisfiable(declaring: readonly Placed[]): ShallotError {
  const edges = declaring.map(({ plugin, outside, inside }) => {
    const parts = [...outside.map((id) => `outside ${id}`), ...inside.map((id) => `inside ${id}`)];
    return `${plugin.id} ${parts.join(' and ')}`;
  });
  return new ShallotError('ORDER_CYCLE', {
    message: `The order of plugins cannot be satisfied with their priorities: ${edges.join('; ')}. Change a priority, or remove one of these entries.`,
    plugin: declaring[0]?.plugin.id ?? '',
  });
}

function cycle(chain: readonly string[]): ShallotError {
  return new ShallotError('ORDER_CYCLE', {
    message: `The order of plugins has a cycle: ${chain.join(' > ')} (">" means "outside"). Remove one of these outside or inside entries.`,
    plugin: chain[0] ?? '',
  });
}
