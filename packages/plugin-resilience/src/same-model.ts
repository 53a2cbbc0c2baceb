import type { ChatModel } from '@shallot/core/model';

/** Returns true if two models are the same: same name and endpoint or, without endpoints, the same object. */
export function isSameModel(one: ChatModel, other: ChatModel): boolean {
  if (one === other) return true;
  return one.endpoint !== undefined && one.endpoint === other.endpoint && one.id === other.id;
}
