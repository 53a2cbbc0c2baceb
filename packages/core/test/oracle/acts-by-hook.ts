import type { ActName, TapName } from './model/world.ts';

/** The acts of taps in each hook; those listed twice are twice as likely. */
export const acts: Readonly<Record<TapName, readonly ActName[]>> = {
  beforeAgent: ['append', 'append', 'count', 'count', 'end', 'throw', 'reject'],
  beforeModel: ['append', 'append', 'drop', 'count', 'ask', 'end', 'throw', 'reject'],
  wrapModelCall: ['append', 'append', 'count', 'retry', 'skip', 'end', 'limit', 'throw', 'reject'],
  afterModel: ['append', 'again', 'again', 'count', 'count', 'ask', 'end', 'limit', 'throw', 'reject'],
  wrapToolCall: ['append', 'count', 'count', 'ask', 'retry', 'skip', 'end', 'throw', 'reject'],
  gate: ['count', 'ask', 'ask', 'refuse', 'throw', 'reject'],
  afterAgent: ['count', 'count', 'throw', 'reject'],
};
