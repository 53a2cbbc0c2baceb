/** A world as plain data: the model's answers, the acts of plugins and tools at each place, and the disturbances. */
export interface World {
  readonly seed: number;
  readonly store: 'memory' | 'watched' | 'slow' | 'sqlite';
  readonly isStreamed: boolean;
  readonly toolConcurrency: number;
  /** All runs are in the same session; each begins when the previous one is completed. */
  readonly runs: readonly RunPlan[];
  /** Outermost first. */
  readonly plugins: readonly PluginPlan[];
  /** One for each round, in this order. Moments are counted from the beginning of the round. */
  readonly disturbances: readonly Disturbance[];
  /** True if only one question is answered per resume, even while others are still open. */
  readonly answersApart: boolean;
}

export interface RunPlan {
  /** The model's answers by step; after the last step it gives its final answer. */
  readonly steps: readonly StepPlan[];
}

/** The answers that the model gives in turn each time it is asked in a step. */
export type StepPlan = readonly AnswerPlan[];

/** The calls of an answer; an answer without calls is the last one of its run. */
export type AnswerPlan = readonly CallPlan[];

export interface CallPlan {
  readonly tool: ToolName;
  readonly acts: readonly ToolAct[];
}

/** A tool of each effect, and a tool whose result ends the run. */
export const toolNames = ['look', 'stamp', 'pay', 'show'] as const;
export type ToolName = (typeof toolNames)[number];

export interface ToolAct {
  readonly id: string;
  readonly what: 'count' | 'ask' | 'throw';
}

export interface PluginPlan {
  readonly name: string;
  /** The scope of the state with the plugin's count. */
  readonly scope: 'session' | 'run';
  readonly taps: readonly TapPlan[];
}

export const tapNames = [
  'beforeAgent',
  'beforeModel',
  'wrapModelCall',
  'afterModel',
  'wrapToolCall',
  'gate',
  'afterAgent',
] as const;
export type TapName = (typeof tapNames)[number];

export interface TapPlan {
  readonly hook: TapName;
  /** How the tap performs its acts: synchronously, as an async function, or with a wait before each. */
  readonly pace: 'sync' | 'async' | 'slow';
  readonly acts: readonly Act[];
}

/** An act that a tap performs whenever it is entered at a place. */
export interface Act {
  /** Also part of the texts that the act appends, asks or answers with. */
  readonly id: string;
  readonly run: number;
  /** 0 in `beforeAgent` and `afterAgent`. */
  readonly step: number;
  /** The index of the call in its step, for `wrapToolCall` and gates; otherwise -1. */
  readonly call: number;
  /** For wraps: true if the act follows the call of `next`. */
  readonly isLate: boolean;
  readonly what: ActName;
}

/**
 * - `append`: adds a message to the input, to the request, or to the history together with the answer; adds text to an
 *   answer or a result.
 * - `drop`: removes the first message in the request that a plugin appended.
 * - `end`, `limit`: call `end` with a message, for either reason. `again`: asks for one more step, with a message.
 * - `ask`: asks a question, which is answered "yes". `refuse`: asks one, after whose answer a gate denies the call.
 * - `count`: adds one to the plugin's count, in `once`.
 * - `skip`: answers without calling `next`. `retry`: calls `next` twice.
 * - `throw`, `reject`: fails the first time that it is entered; the run fails, and is resumed. The oracle ignores these
 *   acts.
 */
export type ActName =
  | 'append'
  | 'drop'
  | 'end'
  | 'limit'
  | 'again'
  | 'ask'
  | 'refuse'
  | 'count'
  | 'skip'
  | 'retry'
  | 'throw'
  | 'reject';

/**
 * The disturbances that can strike a process at a moment. `sleep`: the process is suspended, and another one takes over
 * its session.
 */
export const disturbances = ['kill', 'abort', 'stop', 'sleep', 'model-fails', 'store-fails'] as const;

export interface Disturbance {
  readonly moments: number;
  readonly what: (typeof disturbances)[number];
}

/** A step of a run; step 0 is outside of all steps. */
export interface Place {
  readonly run: number;
  readonly step: number;
}

/** Returns the model's answer when it is asked for the nth time in a step, from 1. */
export function answerPlan({ runs }: World, { run, step }: Place, asked: number): AnswerPlan {
  const answers = runs[run]?.steps[step - 1] ?? [];
  return answers.length === 0 ? [] : (answers[(asked - 1) % answers.length] ?? []);
}

/** Returns the text of an answer, which identifies it: the model never gives the same answer twice. */
export function answerText({ run, step }: Place, asked: number | 'skipped'): string {
  return `r${run}s${step}#${asked};`;
}

export function inputText(run: number): string {
  return `input ${run};`;
}

export function resultText(tool: ToolName): string {
  return `${tool} is done;`;
}

export function usageOf({ run, step }: Place, asked: number): number {
  return 1000 * (run + 1) + 100 * step + asked;
}

/** Returns the acts of a tap at a place. */
export function actsAt(tap: TapPlan, { run, step }: Place, call = -1): readonly Act[] {
  return tap.acts.filter((act) => act.run === run && act.step === step && act.call === call);
}

/** Returns the taps of a hook, outermost first. */
export function tapsOf(
  { plugins }: World,
  hook: TapName,
): readonly { readonly plugin: PluginPlan; readonly tap: TapPlan }[] {
  return plugins.flatMap((plugin) =>
    plugin.taps.filter((tap) => tap.hook === hook).map((tap) => ({ plugin, tap })),
  );
}
