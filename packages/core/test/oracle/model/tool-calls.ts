// The tool calls of a step: layers, gates, executions, and the questions that they ask.
import { noteText, sayText, type OracleSession, type PlainCall } from './session.ts';
import { actsAt, answerPlan, resultText, tapsOf, type ToolName, type World } from './world.ts';

/** The result of a call. */
export interface PlainResult {
  readonly text: string;
  readonly isError: boolean;
}

/** Unwinds a call that waits for an answer. */
class Waiting extends Error {}

const ended: PlainResult = { text: 'not executed: the run was ended', isError: true };

/** Executes the calls of an answer. Returns their results, in call order. */
export function callTools(world: World, session: OracleSession, calls: readonly PlainCall[]): PlainResult[] {
  const passages = calls.map((call) => new Passage(world, session, call));
  // A call that waits is entered again once its question is answered.
  while (passages.some(({ result }) => result === undefined)) {
    for (const passage of passages) passage.work();
    if (session.ending !== undefined) for (const passage of passages) passage.giveUp();
    else for (const passage of passages) passage.answer();
  }
  return passages.flatMap(({ result }) => result ?? []);
}

/** A call, with the state that it keeps when it is entered again. */
class Passage {
  result: PlainResult | undefined;
  readonly #world: World;
  readonly #session: OracleSession;
  readonly #call: PlainCall;
  /** The keys whose `once` has already counted. */
  readonly #counted = new Set<string>();
  readonly #answered = new Set<string>();
  #question: { readonly id: string; readonly key: string } | undefined;
  /** The results after the gates, by ordinal. */
  readonly #passed = new Map<number, PlainResult>();
  readonly #executed: PlainResult[] = [];
  /** The number of times that the layers have reached the core since the call was last entered. */
  #ordinal = 0;
  /**
   * The number of times that each layer was entered since the call was: `once` and questions are valid for one entry of
   * a layer.
   */
  #entries: number[] = [];

  constructor(world: World, session: OracleSession, call: PlainCall) {
    this.#world = world;
    this.#session = session;
    this.#call = call;
  }

  /** Enters the layers, unless the run was ended before. */
  work(): void {
    if (this.result !== undefined) return;
    if (this.#session.ending !== undefined) {
      this.result = ended;
      return;
    }
    this.#ordinal = 0;
    this.#entries = [];
    try {
      this.result = this.#enter(0);
    } catch (thrown) {
      if (!(thrown instanceof Waiting)) throw thrown;
    }
  }

  /** Gives a waiting call its result after `end`: that of its last execution, if there was one. */
  giveUp(): void {
    this.result ??= this.#executed.at(-1) ?? ended;
  }

  /** Answers the question that the call waits for. */
  answer(): void {
    if (this.result !== undefined || this.#question === undefined) return;
    const { id, key } = this.#question;
    this.#session.questions.push(id);
    this.#answered.add(key);
    this.#question = undefined;
  }

  #enter(depth: number): PlainResult {
    const layer = tapsOf(this.#world, 'wrapToolCall')[depth];
    if (layer === undefined) return this.#core();
    const entry = (this.#entries[depth] ?? 0) + 1;
    this.#entries[depth] = entry;
    const { input } = this.#call;
    const acts = actsAt(layer.tap, input, input.call);
    let result: PlainResult | undefined;
    for (const { what, id } of acts.filter(({ isLate }) => !isLate)) {
      if (what === 'count') this.#count(`${id} ${entry}`, layer.plugin.name);
      if (what === 'ask') this.#ask(id, entry);
      if (what === 'end' || what === 'limit') this.#session.end(noteText(id), what);
      if (what === 'skip') result = { text: sayText(id), isError: false };
    }
    if (result === undefined && acts.some(({ what }) => what === 'retry')) this.#enter(depth + 1);
    result ??= this.#enter(depth + 1);
    for (const { what, id } of acts.filter(({ isLate }) => isLate)) {
      if (what === 'append') result = { ...result, text: `${result.text}${noteText(id)}` };
      if (what === 'count') this.#count(`${id} ${entry}`, layer.plugin.name);
      if (what === 'ask') this.#ask(id, entry);
      if (what === 'end' || what === 'limit') this.#session.end(noteText(id), what);
    }
    return result;
  }

  /** Passes the gates and executes the tool. An execution whose result is known passes no gate again. */
  #core(): PlainResult {
    this.#ordinal += 1;
    const ordinal = this.#ordinal;
    const known = this.#passed.get(ordinal);
    if (known !== undefined) return known;
    const result = this.#gated(ordinal);
    this.#passed.set(ordinal, result);
    return result;
  }

  #gated(ordinal: number): PlainResult {
    const { input } = this.#call;
    for (const { plugin, tap } of tapsOf(this.#world, 'gate')) {
      for (const { what, id } of actsAt(tap, input, input.call)) {
        if (what === 'count') this.#count(`${id} ${ordinal}`, plugin.name);
        if (what === 'ask') this.#ask(id, ordinal);
        if (what === 'refuse') {
          this.#ask(id, ordinal);
          return { text: sayText(id), isError: true };
        }
        // "A gate that throws anything except an interrupt denies the call."
        if (what === 'throw' || what === 'reject') return { text: `denied by ${plugin.name}`, isError: true };
      }
    }
    const result = this.#execute(ordinal);
    this.#executed.push(result);
    return result;
  }

  #execute(ordinal: number): PlainResult {
    const { name, input } = this.#call;
    const plan = answerPlan(this.#world, input, input.asked)[input.call];
    for (const { what, id } of plan?.acts ?? []) {
      if (what === 'count') this.#count(`${id} ${ordinal}`, 'tools');
      if (what === 'ask') this.#ask(id, ordinal);
      if (what === 'throw') return { text: `failed: ${id}`, isError: true };
    }
    this.#session.effects.push(effectText(this.#call));
    return { text: resultText(name as ToolName), isError: false };
  }

  #count(key: string, plugin: string): void {
    if (this.#counted.has(key)) return;
    this.#counted.add(key);
    this.#session.count(plugin);
  }

  /**
   * Returns if the question has an answer, otherwise makes the call wait. After `end` the question is pointless, so
   * nobody is asked.
   */
  #ask(id: string, entry: number): void {
    const key = `${id} ${entry}`;
    if (this.#answered.has(key)) return;
    if (this.#session.ending === undefined) this.#question = { id, key };
    throw new Waiting();
  }
}

/** Returns the text that identifies the effect of a call. */
export function effectText({ name, input }: PlainCall): string {
  return `${name} r${input.run}s${input.step}#${input.asked} c${input.call}`;
}
