import type { SourceLocation } from '../base/errors.ts';
import type { ChatModel } from './model.ts';

const places = new WeakMap<ChatModel, SourceLocation>();

/** Keeps where a config names a model, for the errors about it. Returns the model. */
export function placeModel(model: ChatModel, at: SourceLocation): ChatModel {
  places.set(model, at);
  return model;
}

/** Returns where a config names the model; undefined for one that a program made. */
export function placeOfModel(model: ChatModel): SourceLocation | undefined {
  return places.get(model);
}
