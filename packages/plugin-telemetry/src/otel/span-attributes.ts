import type { JsonObject } from '@shallot/core';
import type { ChatModel, ModelRequest, ModelSettings, Usage } from '@shallot/core/model';
import { isJsonObject, rootOf, type AgentIdentity } from '@shallot/core/plugin';

import type { LayerActivity, ModelActivity, RunActivity, ToolActivity } from '../observe/activity.ts';
import { describeModel } from './describe-model.ts';
import { errorType } from './error-type.ts';
import type { RunTotals } from './run-totals.ts';
import {
  attribute,
  cacheWriteTokens,
  finishReasons,
  operation,
  ownAttribute,
  toolError,
  type Edition,
} from './semconv.ts';

/** The recorded attributes of an activity. Undefined values are left out. */
export type Attributes = Record<string, string | number | boolean | string[] | undefined>;

/** An activity that has a span. */
export type Spanned = RunActivity | ModelActivity | ToolActivity | LayerActivity;

/** Attributes whose texts are fixed words, or ids that the core has made, so that they contain no secret. */
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

/** The data of a span beside its activity. */
export interface Subject {
  readonly edition: Edition;
  /** Returns the agent, once it is ready. */
  readonly agent: () => AgentIdentity & { readonly model: ChatModel };
}

/** Returns the attributes of a span when it begins, including those by which samplers may decide. */
export function startAttributes(activity: Spanned, subject: Subject): Attributes {
  switch (activity.kind) {
    case 'run':
      return runStart(activity, subject);
    case 'model':
      return modelStart(activity, subject.edition);
    case 'tool':
      return toolStart(activity);
    case 'layer':
      return layerStart(activity);
  }
}

/** Returns the attributes of a span when it ends, without its failure and its content. */
export function endAttributes(activity: Spanned, edition: Edition, totals: RunTotals): Attributes {
  switch (activity.kind) {
    case 'run':
      return runEnd(activity, edition, totals);
    case 'model':
      return modelEnd(activity, edition);
    case 'tool':
      return toolEnd(activity);
    case 'layer':
      return layerEnd(activity);
  }
}

function runStart({ info }: RunActivity, { edition, agent }: Subject): Attributes {
  const { id, version, description, model: chatModel } = agent();
  const { provider, model } = describeModel(chatModel.id);
  const isFirst = edition === '1.41';
  return {
    [attribute.operation]: operation.agent,
    [attribute.provider]: isFirst ? provider : undefined,
    [attribute.requestModel]: model,
    [attribute.agentName]: info.agent,
    [attribute.agentDescription]: description,
    // The latest edition has them for hosted agents only.
    [isFirst ? attribute.agentId : ownAttribute.agentId]: id,
    [isFirst ? attribute.agentVersion : ownAttribute.agentVersion]: version,
    [attribute.conversationId]: info.sessionId,
    [ownAttribute.runId]: info.id,
    ...(info.resumed ? { [ownAttribute.resumed]: true } : {}),
    ...aroundChild(info),
  };
}

/** Returns the place of a child in its tree: the call that began it, and the root; an empty object for other runs. */
function aroundChild(info: RunActivity['info']): Attributes {
  const { parent } = info.address;
  if (parent === undefined) return {};
  return {
    [ownAttribute.parentSession]: parent.sessionId,
    [ownAttribute.parentRun]: parent.runId,
    [ownAttribute.parentStep]: parent.step,
    [ownAttribute.parentCall]: parent.callId,
    [ownAttribute.rootSession]: rootOf(info).sessionId,
  };
}

function runEnd({ result }: RunActivity, edition: Edition, totals: RunTotals): Attributes {
  const { usage, request, finish } = totals;
  return {
    [ownAttribute.outcome]: result?.outcome,
    [ownAttribute.stopReason]: result?.stopReason,
    [attribute.finishReasons]: finish === undefined ? undefined : [finishReasons[finish]],
    ...(request === undefined ? {} : requestAttributes(request)),
    ...(usage === undefined ? {} : runUsage(usage, edition)),
  };
}

/** Returns the usage of a run. The latest edition leaves the details to the model calls. */
function runUsage(usage: Usage, edition: Edition): Attributes {
  if (edition === '1.41') return usageAttributes(usage, edition);
  return { [attribute.inputTokens]: usage.input, [attribute.outputTokens]: usage.output };
}

/** Returns the attributes of a model call. */
export function modelAttributes(activity: ModelActivity, edition: Edition): Attributes {
  return { ...modelStart(activity, edition), ...modelEnd(activity, edition) };
}

function modelStart(activity: ModelActivity, edition: Edition): Attributes {
  const { request, origin, step, attempt, streams, compacted, run } = activity;
  const { provider, model } = describeModel(request.model.id);
  const { settings } = request;
  return {
    [attribute.operation]: operation.chat,
    [attribute.provider]: provider,
    [attribute.requestModel]: model,
    ...serverAttributes(request.model),
    [attribute.conversationId]: run.info.sessionId,
    [attribute.conversationCompacted]: compacted ? true : undefined,
    [attribute.stream]: streams ? true : undefined,
    ...requestAttributes(request),
    [attribute.topK]: settings.topK,
    ...(edition === '1.41' || settings.provider === undefined ? {} : providerAttributes(settings.provider)),
    [ownAttribute.step]: step,
    [ownAttribute.attempt]: attempt > 1 ? attempt : undefined,
    [ownAttribute.plugin]: origin?.plugin,
    [ownAttribute.purpose]: origin?.purpose,
  };
}

/** Returns the address of a model's endpoint; an empty object until it is known. */
export function serverAttributes({ server }: ChatModel): Attributes {
  if (server === undefined) return {};
  return { [attribute.serverAddress]: server.address, [attribute.serverPort]: server.port };
}

/** Returns the settings of the request. */
function requestAttributes({ output, settings }: ModelRequest): Attributes {
  return {
    [attribute.outputType]: output === undefined ? undefined : 'json',
    // Most calls have no settings.
    ...(Object.keys(settings).length === 0 ? {} : settingAttributes(settings)),
  };
}

function settingAttributes(settings: ModelSettings): Attributes {
  return {
    [attribute.temperature]: settings.temperature,
    [attribute.topP]: settings.topP,
    [attribute.maxTokens]: settings.maxOutputTokens,
    [attribute.stopSequences]: settings.stopSequences === undefined ? undefined : [...settings.stopSequences],
    [attribute.presencePenalty]: settings.presencePenalty,
    [attribute.frequencyPenalty]: settings.frequencyPenalty,
    [attribute.seed]: settings.seed,
  };
}

/** Returns attributes that only some providers have, under the names of their packages. */
function providerAttributes(settings: NonNullable<ModelSettings['provider']>): Attributes {
  const found: Attributes = {};
  for (const own of Object.values(settings)) {
    const { thinkingConfig: thinking } = own;
    found[attribute.reasoningLevel] ??=
      textIn(own, 'reasoningEffort') ??
      textIn(own, 'effort') ??
      (isJsonObject(thinking) ? textIn(thinking, 'thinkingLevel') : undefined);
    found[attribute.previousResponseId] ??=
      textIn(own, 'previousResponseId') ?? textIn(own, 'previousInteractionId');
  }
  return found;
}

function modelEnd(activity: ModelActivity, edition: Edition): Attributes {
  const { request, response, startedAt, firstChunkAt } = activity;
  const first = firstChunkAt === undefined ? undefined : (firstChunkAt - startedAt) / 1000;
  // By the latest edition, a call without an answer ended as an error.
  const finish = response?.finish ?? (edition === '1.41' ? undefined : 'error');
  return {
    ...serverAttributes(request.model),
    [attribute.timeToFirstChunk]: first,
    [attribute.finishReasons]: finish === undefined ? undefined : [finishReasons[finish]],
    [attribute.responseId]: textIn(response?.metadata, 'id'),
    [attribute.responseModel]: responseModel(response?.metadata),
    ...(response?.usage === undefined ? {} : usageAttributes(response.usage, edition)),
  };
}

/** Returns the exact name of the model that answered; undefined if the model's adapter does not report it. */
export function responseModel(metadata: JsonObject | undefined): string | undefined {
  return textIn(metadata, 'model');
}

/** Returns the token counts reported by the provider. */
function usageAttributes(usage: Usage, edition: Edition): Attributes {
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

/** Returns `error.type` of an activity that failed; undefined for others. */
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
