import { patternTree, type PatternNode } from './pattern-tree.ts';

/** The maximum number of copies that stand for a repeated part; a larger count is treated as unlimited. */
const maxCopies = 64;
/** Limits of the analysis: positions in a pattern, transitions between them, and steps of two parallel walks. */
const maxPlaces = 1000;
const maxLinks = 50_000;
const maxSteps = 200_000;

/**
 * Returns true if some text makes a pattern take exponential time: it repeats a part that can match one text in two
 * ways, such as `(a+)+` or `(a|aa)*`. Also true for a pattern that cannot be analysed.
 */
export function explodes(pattern: string): boolean {
  const tree = patternTree(pattern);
  if (tree === undefined) return true;
  const looks: PatternNode[] = [tree];
  // Inner lookarounds are added to the list during the loop.
  for (const each of looks) {
    const places = new Places(pattern, looks);
    if (!places.add(each) || places.isAmbiguous()) return true;
  }
  return false;
}

/** The first and last positions of a part of a pattern, and whether it can match the empty string. */
interface Ends {
  readonly first: readonly number[];
  readonly last: readonly number[];
  readonly canBeEmpty: boolean;
}

const nothing: Ends = { first: [], last: [], canBeEmpty: true };

/** The positions at which a pattern consumes a character, and the transitions between them. */
class Places {
  readonly #alphabet: readonly string[];
  readonly #looks: PatternNode[];
  readonly #sets: (readonly boolean[])[] = [];
  readonly #setOf = new Map<string, readonly boolean[]>();
  /** For each position the possible next ones, each with the number of ways to it. */
  readonly #next: Map<number, number>[] = [];
  #links = 0;

  constructor(pattern: string, looks: PatternNode[]) {
    this.#alphabet = alphabetOf(pattern);
    this.#looks = looks;
  }

  /** Adds the positions of a node. Returns false if there are too many of them, or of the transitions between them. */
  add(node: PatternNode): boolean {
    this.#build(node);
    return !this.#isTooLarge;
  }

  get #isTooLarge(): boolean {
    return this.#sets.length > maxPlaces || this.#links > maxLinks;
  }

  /**
   * Returns true if one text leads from some position back to it in two ways, or if deciding that takes too many steps.
   */
  isAmbiguous(): boolean {
    const group = groupsOf(this.#next);
    const isTwice = this.#next.some((next, from) =>
      [...next].some(([to, ways]) => ways > 1 && group[from] === group[to]),
    );
    return isTwice || this.#partsAndMeets(group);
  }

  /**
   * Returns true if two walks can start together, separate, consume the same characters, and meet again at the start;
   * also if deciding that takes too many steps.
   */
  #partsAndMeets(group: readonly number[]): boolean {
    const count = this.#sets.length;
    let steps = 0;
    const pairs = new Map<number, number>();
    const followers: Map<number, number>[] = [];
    const numbers: number[] = [];
    const numberOf = (pair: number): number => {
      let number = pairs.get(pair);
      if (number === undefined) {
        number = numbers.push(pair) - 1;
        pairs.set(pair, number);
      }
      return number;
    };
    for (let place = 0; place < count; place += 1) numberOf(place * count + place);
    // Pairs are added to the list during the loop.
    for (const pair of numbers) {
      const [one, other] = [Math.floor(pair / count), pair % count];
      const next = new Map<number, number>();
      const others = this.#inGroup(other, group);
      for (const a of this.#inGroup(one, group)) {
        for (const b of others) {
          if ((steps += 1) > maxSteps) return true;
          if (group[a] === group[b] && this.#overlap(a, b)) next.set(numberOf(a * count + b), 1);
        }
      }
      followers.push(next);
    }
    const circle = groupsOf(followers);
    const met = new Set(circle.slice(0, count));
    // All pairs of a place with itself come first.
    return circle.slice(count).some((each) => met.has(each));
  }

  /** Returns the next positions from which a walk can come back to this one; no repetition leads through the others. */
  #inGroup(place: number, group: readonly number[]): number[] {
    return [...(this.#next[place]?.keys() ?? [])].filter((to) => group[to] === group[place]);
  }

  #overlap(one: number, other: number): boolean {
    const set = this.#sets[other] ?? [];
    return (this.#sets[one] ?? []).some((has, at) => has && set[at] === true);
  }

  #build(node: PatternNode): Ends {
    if (this.#isTooLarge) return nothing;
    switch (node.type) {
      case 'atom':
        return this.#atom(node.text);
      case 'look':
        this.#looks.push(node.item);
        return nothing;
      case 'choice': {
        const ends = node.items.map((item) => this.#build(item));
        return {
          first: ends.flatMap(({ first }) => first),
          last: ends.flatMap(({ last }) => last),
          canBeEmpty: ends.some(({ canBeEmpty }) => canBeEmpty),
        };
      }
      case 'sequence':
        return node.items.reduce<Ends>((before, item) => this.#join(before, this.#build(item)), nothing);
      case 'repeat':
        return this.#repeat(node.item, node.min, node.max);
    }
  }

  #atom(text: string): Ends {
    let set = this.#setOf.get(text);
    if (set === undefined) {
      const one = new RegExp(`^(?:${text})$`, 'us');
      set = this.#alphabet.map((character) => one.test(character));
      this.#setOf.set(text, set);
    }
    const place = this.#sets.push(set) - 1;
    this.#next.push(new Map());
    return { first: [place], last: [place], canBeEmpty: false };
  }

  #join(before: Ends, after: Ends): Ends {
    this.#link(before.last, after.first);
    return {
      first: before.canBeEmpty ? [...before.first, ...after.first] : before.first,
      last: after.canBeEmpty ? [...before.last, ...after.last] : after.last,
      canBeEmpty: before.canBeEmpty && after.canBeEmpty,
    };
  }

  #repeat(item: PatternNode, min: number, max: number): Ends {
    if (max === 0) return nothing;
    if (max > maxCopies) {
      const ends = this.#build(item);
      this.#link(ends.last, ends.first);
      // Any of several required rounds may be the empty one.
      if (ends.canBeEmpty && min > 1) this.#link(ends.last, ends.first);
      return { ...ends, canBeEmpty: min === 0 || ends.canBeEmpty };
    }
    let all = nothing;
    for (let copy = 0; copy < min && !this.#isTooLarge; copy += 1) all = this.#join(all, this.#build(item));
    // An optional copy follows only the one before it, and matches at least one character.
    let before = all;
    for (let copy = min; copy < max && !this.#isTooLarge; copy += 1) {
      const ends = this.#build(item);
      this.#link(before.last, ends.first);
      const first = before.canBeEmpty ? [...all.first, ...ends.first] : all.first;
      all = { ...all, first, last: [...all.last, ...ends.last] };
      before = { ...ends, canBeEmpty: false };
    }
    return all;
  }

  #link(from: readonly number[], to: readonly number[]): void {
    this.#links += from.length * to.length;
    if (this.#links > maxLinks) return;
    for (const one of from) {
      const next = this.#next[one];
      for (const other of to) next?.set(other, (next.get(other) ?? 0) + 1);
    }
  }
}

/** Returns one character for each range of characters that the pattern could distinguish. */
function alphabetOf(pattern: string): readonly string[] {
  const points = new Set([
    ...Array(128).keys(),
    0xa0,
    0xe9,
    0x416,
    0x3b1,
    0x5d0,
    0x4e2d,
    0x2028,
    0xfeff,
    0x1f600,
  ]);
  const named = [...pattern.matchAll(/\\u\{([\da-f]+)\}|\\u([\da-f]{4})|\\x([\da-f]{2})/gi)].map(
    // Two of the three have not matched.
    ([, ...digits]) => Number.parseInt(digits.join(''), 16),
  );
  for (const point of [...named, ...Array.from(pattern, (character) => Number(character.codePointAt(0)))]) {
    for (const near of [point - 1, point, point + 1]) if (near >= 0 && near <= 0x10ffff) points.add(near);
  }
  return [...points].map((point) => String.fromCodePoint(point));
}

/** Returns for each position the number of its strongly connected group. */
function groupsOf(next: readonly ReadonlyMap<number, number>[]): number[] {
  const order: number[] = [];
  const low: number[] = [];
  const group: number[] = [];
  const path: number[] = [];
  let count = 0;
  let groups = 0;
  for (let root = 0; root < next.length; root += 1) {
    if (order[root] !== undefined) continue;
    const open = [{ place: root, left: [...(next[root]?.keys() ?? [])] }];
    order[root] = low[root] = count++;
    path.push(root);
    for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
      const { place, left } = top;
      const to = left.pop();
      if (to !== undefined) {
        if (order[to] === undefined) {
          order[to] = low[to] = count++;
          path.push(to);
          open.push({ place: to, left: [...(next[to]?.keys() ?? [])] });
        } else if (group[to] === undefined) lower(low, place, order[to]);
        continue;
      }
      open.pop();
      const above = open.at(-1);
      if (above !== undefined) lower(low, above.place, low[place]);
      if (low[place] !== order[place]) continue;
      for (let member = path.pop(); member !== undefined; member = path.pop()) {
        group[member] = groups;
        if (member === place) break;
      }
      groups += 1;
    }
  }
  return group;
}

function lower(low: number[], place: number, other: number | undefined): void {
  // Both places have been entered, and have a number.
  low[place] = Math.min(Number(low[place]), Number(other));
}
