import type { ChatModel } from '@shallot/core/model';

/** Tells whether two models are one: they have one name at one endpoint, or, without endpoints, are one object. */
export function isSameModel(one: ChatModel, other: ChatModel): boolean {
  if (one === other) return true;
  return one.endpoint !== undefined && one.endpoint === other.endpoint && one.id === other.id;
}
