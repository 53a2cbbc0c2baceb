import type { Logger, RunInfo, RunResult } from '@shallot/core';

import type {
  Activity,
  ModelActivity,
  RunActivity,
  RunSink,
  Sink,
  StepActivity,
  ToolActivity,
} from '../observe/activity.ts';
import { errorOf, outcomeOf } from './activity-lines.ts';

export type LineLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal';

/**
 * Log levels for runs, steps and tool calls that succeed; `false` logs no lines. Failures are `warn`, failed runs
 * `error`.
 */
export interface LogLevels {
  readonly runs: LineLevel | false;
  readonly steps: LineLevel | false;
  readonly tools: LineLevel | false;
}

/** Writes a line to the log for each run, step and tool call that has ended, while the log takes lines of these levels. */
export function logSink(levels: LogLevels): Sink {
  return {
    name: 'log lines',
    observe: ({ info }) => (wantsLines(levels, info.log) ? runLines(levels, info.log) : undefined),
  };
}

function wantsLines({ runs, steps, tools }: LogLevels, log: Logger): boolean {
  return [runs, steps, tools].some((level) => level !== false && log.isLevelEnabled?.(level) !== false);
}

/**
 * Writes a line for a failed run if the log takes no other lines, without the cost of observing all the runs that
 * succeed.
 */
export function logFailure({ runs, ...levels }: LogLevels, { log, agent }: RunInfo, result: RunResult): void {
  if (runs === false || result.outcome !== 'failed' || wantsLines({ runs, ...levels }, log)) return;
  const { error, stopReason, steps } = result;
  log.error({ agent, outcome: 'failed', stopReason, steps, error: errorOf(error) }, failureText(error));
}

function runLines(levels: LogLevels, log: Logger): RunSink {
  /** The calls whose answers the steps continue with, by step. */
  const answers = new Map<number, ModelActivity>();
  let toolCalls = 0;
  return {
    ended(activity) {
      switch (activity.kind) {
        case 'run':
          return logRun(levels.runs, log, activity, toolCalls);
        case 'step':
          return logStep(levels.steps, log, activity, answers.get(activity.step));
        case 'model':
          if (activity.origin === undefined) answers.set(activity.step, activity);
          return undefined;
        case 'tool':
          toolCalls += 1;
          return logTool(levels.tools, log, activity);
        default:
          return undefined;
      }
    },
  };
}

function logRun(level: LineLevel | false, log: Logger, run: RunActivity, toolCalls: number): void {
  if (level === false) return;
  const { info, result, failure } = run;
  const { outcome = 'failed', stopReason, steps = info.step, usage = info.usage } = result ?? {};
  const ms = millisecondsOf(run);
  const failed = outcome === 'failed';
  log[failed ? 'error' : level](
    {
      agent: info.agent,
      outcome,
      stopReason,
      steps,
      toolCalls,
      inputTokens: usage.input,
      outputTokens: usage.output,
      ms,
      ...(info.resumed && { resumed: true }),
      ...(failed && { error: errorOf(failure) }),
      ...traceIds(run),
    },
    failed
      ? failureText(failure)
      : `run ${outcome}: ${counted(steps, 'step')}, ${counted(toolCalls, 'tool call')}, ${ms} ms`,
  );
}

function failureText(failure: unknown): string {
  const { code, type, message } = errorOf(failure);
  return `run failed: ${code ?? type}: ${message}`;
}

function logStep(
  level: LineLevel | false,
  log: Logger,
  step: StepActivity,
  model: ModelActivity | undefined,
): void {
  if (level === false) return;
  const ms = millisecondsOf(step);
  const failure = model?.failure;
  const finish = model?.response?.finish;
  const usage = model?.response?.usage;
  log[failure === undefined ? level : 'warn'](
    {
      step: step.step,
      ms,
      ...(model !== undefined && { model: model.request.model.id, attempts: model.attempt }),
      ...(finish !== undefined && { finish }),
      ...(usage !== undefined && { inputTokens: usage.input, outputTokens: usage.output }),
      ...(failure !== undefined && { error: errorOf(failure) }),
      ...traceIds(model ?? step),
    },
    `step ${step.step}: ${failure === undefined ? (finish ?? 'no model call') : 'the model failed'}, ${ms} ms`,
  );
}

function logTool(level: LineLevel | false, log: Logger, tool: ToolActivity): void {
  if (level === false) return;
  const { call, step, failure } = tool;
  const outcome = outcomeOf(tool);
  const ms = millisecondsOf(tool);
  log[outcome === 'failed' || outcome === 'denied' ? 'warn' : level](
    {
      step,
      callId: call.id,
      tool: call.name,
      outcome,
      ms,
      ...(failure !== undefined && { error: errorOf(failure) }),
      ...traceIds(tool),
    },
    `tool ${call.name}: ${outcome}, ${ms} ms`,
  );
}

/** Returns the ids of trace and span, under the names that OpenTelemetry uses in logs; an empty object without a span. */
function traceIds({ span }: Activity): object {
  return span === undefined
    ? {}
    : {
        trace_id: span.traceId,
        span_id: span.spanId,
        trace_flags: span.traceFlags.toString(16).padStart(2, '0'),
      };
}

function millisecondsOf({ startedAt, endedAt }: Activity): number {
  return Math.round((endedAt ?? startedAt) - startedAt);
}

function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
