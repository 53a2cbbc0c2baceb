// The loop, as docs/reference/hooks.md and docs/guides/sessions-and-crashes.md describe it, for undisturbed runs.
import {
  afterAgent,
  afterModel,
  beforeAgent,
  beforeModel,
  wrapModelCall,
  type PlainAnswer,
} from './hooks.ts';
import { OracleSession, type Outcome, type PlainCall, type PlainMessage } from './session.ts';
import { callTools, type PlainResult } from './tool-calls.ts';
import { answerPlan, answerText, inputText, usageOf, type Place, type World } from './world.ts';

/** Facts that only the course of the world shows, because the model answers differently each time it is asked. */
export interface Said {
  /** The stored answers: `asked` is the number of times that the model had been asked in the step. */
  readonly kept: readonly (Place & { readonly asked: number })[];
  /** Returns `asked` of the answer with which the run continued after this step. */
  taken(place: Place): number | undefined;
  /**
   * Returns the results of a step in which they depend on the disturbance; see `OpenSteps`. Undefined for other steps.
   */
  results(place: Place): readonly PlainResult[] | undefined;
}

/** Returns the outcome of a world's runs without disturbances. */
export function undisturbed(world: World, said: Said): Outcome {
  const session = new OracleSession();
  for (const run of world.runs.keys()) playRun(world, session, said, run);
  return session.outcome();
}

function playRun(world: World, session: OracleSession, said: Said, run: number): void {
  session.ending = undefined;
  for (const { name, scope } of world.plugins) if (scope === 'run') session.counts.delete(name);
  const input = beforeAgent(world, session, run, inputText(run));
  session.messages = [...session.messages, ...input];
  let step = 0;
  let stop: Stop | undefined = endOf(session);
  while (stop === undefined) {
    step += 1;
    stop = playStep(world, session, said, { run, step });
  }
  const { stopReason, text } = stop;
  afterAgent(world, session, run);
  const kept = said.kept.filter((each) => each.run === run);
  const tokens = kept.map((each) => usageOf(each, each.asked)).reduce((sum, each) => sum + each, 0);
  session.decisions.push({ stopReason, text, steps: step, usage: { modelCalls: kept.length, tokens } });
}

interface Stop {
  readonly stopReason: string;
  readonly text: string;
}

/** Ends the run if a plugin called `end`: its message becomes the answer. */
function endOf(session: OracleSession): Stop | undefined {
  if (session.ending === undefined) return undefined;
  const { text, stopReason } = session.ending;
  append(session, [{ role: 'assistant', text, calls: [] }]);
  return { stopReason, text };
}

function playStep(world: World, session: OracleSession, said: Said, place: Place): Stop | undefined {
  beforeModel(world, session, place);
  if (session.ending !== undefined) return endOf(session);

  const asked = said.taken(place);
  const response = wrapModelCall(world, session, place, () => answerOf(world, place, asked));
  if (response === undefined) return endOf(session) ?? { stopReason: 'the model was not asked', text: '' };
  if (response.history !== undefined) session.messages = [...response.history];

  const { answer, more } = afterModel(world, session, place, response);
  const { calls } = answer;
  append(session, [{ role: 'assistant', text: answer.text, calls }]);
  if (session.ending !== undefined) {
    refuse(session, calls, 'the run was ended');
    return endOf(session);
  }
  if (more !== undefined) {
    refuse(session, calls, 'another step was requested');
    append(session, more);
    return undefined;
  }
  if (calls.length === 0) return { stopReason: 'answer', text: answer.text };

  const usual = callTools(world, session, calls);
  const results = said.results(place) ?? usual;
  append(
    session,
    results.map((result, index) => toolMessage(calls[index], result)),
  );
  return endOf(session) ?? directResult(calls, results);
}

function answerOf(world: World, place: Place, asked: number | undefined): PlainAnswer | undefined {
  if (asked === undefined) return undefined;
  const calls = answerPlan(world, place, asked).map(({ tool }, call): PlainCall => ({
    name: tool,
    input: { ...place, call, asked },
  }));
  return { text: answerText(place, asked), calls };
}

/** "the answer is the result of the first in call order that did not fail" */
function directResult(calls: readonly PlainCall[], results: readonly PlainResult[]): Stop | undefined {
  const index = calls.findIndex(({ name }, index) => name === 'show' && results[index]?.isError === false);
  const result = results[index];
  return result === undefined ? undefined : { stopReason: 'return-directly', text: result.text };
}

function refuse(session: OracleSession, calls: readonly PlainCall[], why: string): void {
  append(
    session,
    calls.map((call) => toolMessage(call, { text: `not executed: ${why}`, isError: true })),
  );
}

function toolMessage(call: PlainCall | undefined, { text, isError }: PlainResult): PlainMessage {
  return { role: 'tool', name: call?.name ?? '', text, isError };
}

function append(session: OracleSession, messages: readonly PlainMessage[]): void {
  session.messages = [...session.messages, ...messages];
}
