import type { ActName, TapName } from './model/world.ts';

/** The acts that a tap of each hook may perform; an act listed twice is twice as likely. */
export const acts: Readonly<Record<TapName, readonly ActName[]>> = {
  beforeAgent: ['append', 'append', 'count', 'count', 'end', 'throw', 'reject'],
  beforeModel: ['append', 'append', 'drop', 'count', 'ask', 'end', 'throw', 'reject'],
  wrapModelCall: ['append', 'append', 'count', 'retry', 'skip', 'end', 'limit', 'throw', 'reject'],
  afterModel: ['append', 'again', 'again', 'count', 'count', 'ask', 'end', 'limit', 'throw', 'reject'],
  wrapToolCall: ['append', 'count', 'count', 'ask', 'retry', 'skip', 'end', 'throw', 'reject'],
  gate: ['count', 'ask', 'ask', 'refuse', 'throw', 'reject'],
  afterAgent: ['count', 'count', 'throw', 'reject'],
};
