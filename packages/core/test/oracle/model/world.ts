/** A world is plain data: what the model says, what plugins and tools do at which place, and what goes wrong. */
export interface World {
  readonly seed: number;
  readonly store: 'memory' | 'watched' | 'slow' | 'sqlite';
  readonly isStreamed: boolean;
  readonly toolConcurrency: number;
  /** The next run begins when the one before it is completed, in the same session. */
  readonly runs: readonly RunPlan[];
  /** From the outermost to the innermost. */
  readonly plugins: readonly PluginPlan[];
  /** One after the other; each counts its moments from the one before. */
  readonly disturbances: readonly Disturbance[];
  /** True if questions are answered one at a time, as soon as they are known. */
  readonly answersApart: boolean;
}

export interface RunPlan {
  /** The model's answers in the steps; after the last of them it gives its final answer. */
  readonly steps: readonly StepPlan[];
}

/** The model's answers in a step when it is asked for the first time, the second time, and so on in turn. */
export type StepPlan = readonly AnswerPlan[];

/** The calls of an answer; without calls it is the last one of its run. */
export type AnswerPlan = readonly CallPlan[];

export interface CallPlan {
  readonly tool: ToolName;
  readonly acts: readonly ToolAct[];
}

/** One tool of each effect, and one whose result ends the run. */
export const toolNames = ['look', 'stamp', 'pay', 'show'] as const;
export type ToolName = (typeof toolNames)[number];

export interface ToolAct {
  readonly id: string;
  readonly what: 'count' | 'ask' | 'throw';
}

export interface PluginPlan {
  readonly name: string;
  /** Where its count is kept. */
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
  /** The way it acts: at once, by a promise, or after a wait. */
  readonly pace: 'sync' | 'async' | 'slow';
  readonly acts: readonly Act[];
}

/** Something that a tap does whenever it is entered at a place. */
export interface Act {
  /** Also the text of what it adds, asks and says. */
  readonly id: string;
  readonly run: number;
  /** 0 in `beforeAgent` and `afterAgent`. */
  readonly step: number;
  /** The call of the step, in `wrapToolCall` and gates. */
  readonly call: number;
  /** For wraps: acts after `next` has returned. */
  readonly isLate: boolean;
  readonly what: ActName;
}

/**
 * - `append`: a message to the input, to the request, or to the history together with the answer; a text to an answer or a result.
 * - `drop`: removes the first message of the request that a plugin has appended.
 * - `end`, `limit`: `end` with a message, of either reason. `again`: one more step, with a message.
 * - `ask`: a question, which is answered "yes". `refuse`: one that is answered "no", after which a gate denies.
 * - `count`: adds one to the plugin's count, in `once`.
 * - `skip`: answers in the place of what is inside. `retry`: calls `next` twice.
 * - `throw`, `reject`: fails when it is entered for the first time; the run fails, and is resumed. An undisturbed run does not.
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

/** The disturbances of a process at one of its moments. `sleep`: it is suspended, and another one takes the session over. */
export const disturbances = ['kill', 'abort', 'stop', 'sleep', 'model-fails', 'store-fails'] as const;

export interface Disturbance {
  readonly moments: number;
  readonly what: (typeof disturbances)[number];
}

/** A place of a run. */
export interface Place {
  readonly run: number;
  readonly step: number;
}

/** Returns the model's answer in a step when it is asked for the nth time, from 1. */
export function answerPlan({ runs }: World, { run, step }: Place, asked: number): AnswerPlan {
  const answers = runs[run]?.steps[step - 1] ?? [];
  return answers.length === 0 ? [] : (answers[(asked - 1) % answers.length] ?? []);
}

/** Tells the answers of the model apart: each is different when it is given again. */
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

/** The acts of a tap at a place. */
export function actsAt(tap: TapPlan, { run, step }: Place, call = -1): readonly Act[] {
  return tap.acts.filter((act) => act.run === run && act.step === step && act.call === call);
}

/** The taps of a hook, from the outermost to the innermost. */
export function tapsOf(
  { plugins }: World,
  hook: TapName,
): readonly { readonly plugin: PluginPlan; readonly tap: TapPlan }[] {
  return plugins.flatMap((plugin) =>
    plugin.taps.filter((tap) => tap.hook === hook).map((tap) => ({ plugin, tap })),
  );
}
