import type { JsonObject } from '@shallot/core';
import type { ModelSettings, Usage } from '@shallot/core/model';

import type { LayerActivity, ModelActivity, RunActivity, ToolActivity } from '../observe/activity.ts';
import { errorType } from './error-type.ts';
import {
  attribute,
  cacheWriteTokens,
  describeModel,
  finishReasons,
  operation,
  ownAttribute,
  toolError,
  type Edition,
} from './semconv.ts';

/** What is recorded of an activity. Undefined values are left out. */
export type Attributes = Record<string, string | number | boolean | string[] | undefined>;

/** An activity that has a span. */
export type Spanned = RunActivity | ModelActivity | ToolActivity | LayerActivity;

/** Attributes whose texts are words of ours or ids that the core has made: no secret can be in them. */
export const verbatim: ReadonlySet<string> = new Set([
  attribute.finishReasons,
  attribute.operation,
  attribute.outputType,
  attribute.toolType,
  ownAttribute.hook,
  ownAttribute.outcome,
  ownAttribute.runId,
  ownAttribute.stopReason,
]);

/** What a span says when it begins: what samplers may decide by is among it. */
export function startAttributes(activity: Spanned): Attributes {
  switch (activity.kind) {
    case 'run':
      return runStart(activity);
    case 'model':
      return modelStart(activity);
    case 'tool':
      return toolStart(activity);
    case 'layer':
      return layerStart(activity);
  }
}

/** What a span says when it ends, its failure and what was said apart. */
export function endAttributes(activity: Spanned, edition: Edition): Attributes {
  switch (activity.kind) {
    case 'run':
      return runEnd(activity);
    case 'model':
      return modelEnd(activity, edition);
    case 'tool':
      return toolEnd(activity);
    case 'layer':
      return layerEnd(activity);
  }
}

function runStart({ info }: RunActivity): Attributes {
  return {
    [attribute.operation]: operation.agent,
    [attribute.agentName]: info.agent,
    [attribute.conversationId]: info.sessionId,
    [ownAttribute.runId]: info.id,
    ...(info.resumed ? { [ownAttribute.resumed]: true } : {}),
  };
}

function runEnd({ result }: RunActivity): Attributes {
  if (result === undefined) return {};
  return { [ownAttribute.outcome]: result.outcome, [ownAttribute.stopReason]: result.stopReason };
}

function modelStart(activity: ModelActivity): Attributes {
  const { request, origin, step, attempt, streams, compacted, run } = activity;
  const { provider, model } = describeModel(request.model.id);
  const { settings } = request;
  return {
    [attribute.operation]: operation.chat,
    [attribute.provider]: provider,
    [attribute.requestModel]: model,
    [attribute.conversationId]: run.info.sessionId,
    [attribute.conversationCompacted]: compacted ? true : undefined,
    [attribute.stream]: streams ? true : undefined,
    [attribute.outputType]: request.output === undefined ? undefined : 'json',
    // Most calls have none.
    ...(Object.keys(settings).length === 0 ? {} : settingAttributes(settings)),
    [ownAttribute.step]: step,
    [ownAttribute.attempt]: attempt > 1 ? attempt : undefined,
    [ownAttribute.plugin]: origin?.plugin,
    [ownAttribute.purpose]: origin?.purpose,
  };
}

function settingAttributes(settings: ModelSettings): Attributes {
  return {
    [attribute.temperature]: settings.temperature,
    [attribute.topP]: settings.topP,
    [attribute.topK]: settings.topK,
    [attribute.maxTokens]: settings.maxOutputTokens,
    [attribute.stopSequences]: settings.stopSequences === undefined ? undefined : [...settings.stopSequences],
    [attribute.presencePenalty]: settings.presencePenalty,
    [attribute.frequencyPenalty]: settings.frequencyPenalty,
    [attribute.seed]: settings.seed,
  };
}

function modelEnd({ response, startedAt, firstChunkAt }: ModelActivity, edition: Edition): Attributes {
  const first = firstChunkAt === undefined ? undefined : (firstChunkAt - startedAt) / 1000;
  return {
    [attribute.timeToFirstChunk]: first,
    [attribute.finishReasons]: response === undefined ? undefined : [finishReasons[response.finish]],
    [attribute.responseId]: textIn(response?.metadata, 'id'),
    [attribute.responseModel]: responseModel(response?.metadata),
    ...(response?.usage === undefined ? {} : usageAttributes(response.usage, edition)),
  };
}

/** The exact name of the model that answered, where the model's adapter says it. */
export function responseModel(metadata: JsonObject | undefined): string | undefined {
  return textIn(metadata, 'model');
}

/** Tokens, as the provider has reported them. */
export function usageAttributes(usage: Usage, edition: Edition): Attributes {
  return {
    [attribute.inputTokens]: usage.input,
    [attribute.outputTokens]: usage.output,
    [attribute.cacheReadTokens]: usage.cacheRead,
    [cacheWriteTokens[edition]]: usage.cacheWrite,
    [attribute.reasoningTokens]: usage.reasoning,
  };
}

function toolStart({ call, tool, skill, step, run }: ToolActivity): Attributes {
  return {
    [attribute.operation]: operation.tool,
    [attribute.toolName]: call.name,
    [attribute.toolCallId]: call.id,
    [attribute.toolType]: 'function',
    [attribute.toolDescription]: tool?.description,
    [attribute.skillName]: skill,
    [attribute.conversationId]: run.info.sessionId,
    [attribute.agentName]: run.info.agent,
    [ownAttribute.step]: step,
  };
}

function toolEnd({ result, interrupted }: ToolActivity): Attributes {
  return {
    [ownAttribute.deniedBy]: result?.denied?.by,
    [ownAttribute.interrupted]: interrupted ? true : undefined,
  };
}

/** `error.type` of an activity that failed, or undefined. */
export function failureOf(activity: Spanned): string | undefined {
  if (activity.failure !== undefined) return errorType(activity.failure);
  if (activity.kind === 'tool' && activity.result?.isError === true) return toolError;
  return undefined;
}

function layerStart({ tap, step }: LayerActivity): Attributes {
  return {
    [ownAttribute.plugin]: tap.plugin,
    [ownAttribute.hook]: tap.hook,
    [ownAttribute.tap]: tap.name,
    [ownAttribute.step]: step,
  };
}

function layerEnd({ ownMs, calls, changes }: LayerActivity): Attributes {
  return {
    [ownAttribute.ownDuration]: ownMs === undefined ? undefined : ownMs / 1000,
    [ownAttribute.calls]: calls,
    [ownAttribute.changes]: changes === undefined ? undefined : JSON.stringify(changes),
  };
}

function textIn(metadata: JsonObject | undefined, key: string): string | undefined {
  const value = metadata?.[key];
  return typeof value === 'string' ? value : undefined;
}
