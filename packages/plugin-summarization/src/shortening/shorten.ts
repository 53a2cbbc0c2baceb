import type { Message, ToolMessage, UserMessage } from '@shallot/core';
import {
  clearResults,
  clipResults,
  safeCut,
  tokensOfSize,
  type SafeCut,
  type Size,
} from '@shallot/core/plugin';

import { isOfUser } from '../history/is-of-user.ts';
import { titleOf } from '../history/render-message.ts';
import { indexToKeep } from '../settings/is-reached.ts';
import type { Job, Workshop } from '../settings/workshop.ts';

/** A history during shortening. It has the same messages as the session at the same indexes, some of them shortened. */
export interface Draft {
  readonly messages: readonly Message[];
  /** Long arguments are truncated before this index. */
  readonly truncatedTo: number;
  /** The tokens saved so far, on the scale that the model reports. */
  readonly saved: number;
}

/** A draft with old results replaced by stubs, and large new results clipped. */
export interface Shortened extends Draft {
  /**
   * Messages before this index must be saved in the history file before they are replaced. If new results are
   * clipped, these are all messages.
   */
  readonly to: number;
  readonly cleared: number;
  readonly clipped: number;
  /** The part of `saved` that came from clipping new results. */
  readonly clippedTokens: number;
}

/** New results are clipped once the kept part reaches `limit` tokens, down to `target` tokens. */
export interface Room {
  readonly limit: number;
  readonly target: number;
}

/** The least estimated tokens that each clipped result keeps on average. */
const minResultTokens = 100;

/** The least share of `Room.target` that each clipped message of the user keeps on average. */
const userShare = 0.25;

/** The share of a model's context that may be filled, because an estimate may be too low, and the answer needs room. */
const fillable = 0.85;

/**
 * Returns the room of the smallest trigger size, at most 85 % of the model's context. A trigger that counts messages
 * sets no limit; without any limit, nothing is clipped.
 */
export function roomOf({ sizes: { trigger, contextTokens } }: Job): Room {
  const limits = trigger.map((size) => tokensOfSize(size, contextTokens) ?? Infinity);
  const limit = Math.min(...limits, (contextTokens ?? Infinity) * fillable);
  return { limit, target: limit * 0.8 };
}

/**
 * Replaces results before the kept part with stubs if `clears` is set. If the kept part reaches `room.limit`, clips
 * new results and messages, which the model has not answered yet. Stubs and notes name `path`, the history file with
 * the complete results. Without a path, a stub says to call the tool again, and a note says to ask for less at once,
 * or in parts.
 */
export function shortenResults(
  job: Job,
  draft: Draft,
  path: string | undefined,
  room: Room,
  clears = true,
): Shortened {
  const { tokens } = job.shop;
  // The factor from estimated tokens to the scale that the model reports.
  const scale = job.shop.meter.scale(job.run);
  const cut = cutOf(job, draft.messages);
  const cleared = clearResults(draft.messages, clears ? cut.at : 0, (result) => stubOf(result, path));
  const clipped = clipNew(job, cleared.messages, cut, path, room);
  const all = tokens.messages(draft.messages);
  const afterClearing = tokens.messages(cleared.messages);
  const clippedTokens = (afterClearing - tokens.messages(clipped.messages)) * scale;
  return {
    messages: clipped.messages,
    truncatedTo: draft.truncatedTo,
    to: Math.max(
      draft.truncatedTo,
      cleared.changed > 0 ? cut.at : 0,
      clipped.changed > 0 ? draft.messages.length : 0,
    ),
    saved: draft.saved + (all - afterClearing) * scale + clippedTokens,
    cleared: cleared.changed,
    clipped: clipped.changed,
    clippedTokens,
  };
}

/**
 * Clips content that is new to the model if the kept part has no room. Messages of the user are clipped only if they
 * would fill the model's context. After a refusal by the model, everything from the user's last message on may be
 * clipped, even results that the model has already answered.
 */
function clipNew(
  job: Job,
  messages: readonly Message[],
  { dropped }: SafeCut,
  path: string | undefined,
  { limit, target }: Room,
): ReturnType<typeof clipResults> {
  const { shop, run, extent, sizes, reason } = job;
  const scale = shop.meter.scale(run);
  // The tokens of the request without the messages that the cut drops.
  const staying = extent.tokens - shop.tokens.messages(dropped) * scale;
  const isForced = reason === 'overflow' || staying >= (sizes.contextTokens ?? Infinity) * fillable;
  const afterAnswer =
    messages.findLastIndex((message) => !(isResult(message) || (isForced && isOfUser(message)))) + 1;
  const said = messages.findLastIndex(isOfUser);
  const from = reason === 'overflow' && said !== -1 ? Math.min(said, afterAnswer) : afterAnswer;
  if (from === messages.length || staying < limit) return { messages, changed: 0 };
  const excess = (staying - target) / scale;
  const minUserTokens = (userShare * target) / scale;
  return clipFrom(from, messages, { tokens: shop.tokens, path, excess, minUserTokens });
}

interface Clipping {
  readonly tokens: Workshop['tokens'];
  readonly path: string | undefined;
  readonly excess: number;
  readonly minUserTokens: number;
}

/**
 * Clips messages from an index on by `excess` tokens, or as far as their least sizes allow. The user's messages first
 * get up to half of the room, and results the rest. Then the user's messages are clipped to the room that the results
 * have left.
 */
function clipFrom(
  from: number,
  messages: readonly Message[],
  { tokens, path, excess, minUserTokens }: Clipping,
): ReturnType<typeof clipResults> {
  const ofUser = messages.slice(from).filter(isOfUser);
  const results = messages.slice(from).filter(isResult);
  const userTokens = tokens.messages(ofUser);
  const room = tokens.messages(results) + userTokens - excess;
  const note = (message: ToolMessage | UserMessage): string => noteOf(message, path);
  const maxResultTokens = room - Math.min(userTokens, room / 2);
  const shorter = clipResults(messages, from, {
    maxTokens: Math.max(minResultTokens * results.length, maxResultTokens),
    tokens,
    note,
  });
  const left = tokens.messages(shorter.messages.slice(from).filter(isResult));
  const shortest = clipResults(shorter.messages, from, {
    maxTokens: Math.max(minUserTokens * ofUser.length, room - left),
    tokens,
    roles: ['user'],
    note,
  });
  return { messages: shortest.messages, changed: shorter.changed + shortest.changed };
}

function isResult({ role }: Message): boolean {
  return role === 'tool';
}

function stubOf(result: ToolMessage, path: string | undefined): string {
  const where = path === undefined ? `Call ${result.name} again if you need it.` : placeOf(result, path);
  return `[This result was cleared to make room. ${where}]`;
}

function noteOf(message: ToolMessage | UserMessage, path: string | undefined): string {
  const [what, advice] =
    message.role === 'tool'
      ? ['result', 'Ask for less at once if you need it.']
      : ['message', 'Ask the user for it in parts if you need it.'];
  const where = path === undefined ? advice : placeOf(message, path);
  return `[Part of this ${what} is left out here, since it is too large. ${where}]`;
}

function placeOf(message: ToolMessage | UserMessage, path: string): string {
  return `The whole is in the file ${path}, under "### ${titleOf(message)}".`;
}

/** Returns the messages to drop and to keep by the option `keep`, without separating tool calls from their results. */
export function cutOf(job: Job, messages: readonly Message[]): SafeCut {
  return safeCut(messages, keepIndex(job, job.sizes.keep, messages));
}

export function keepIndex(
  { shop, run, sizes }: Job,
  keep: readonly Size[],
  messages: readonly Message[],
): number {
  const scale = shop.meter.scale(run);
  return indexToKeep(keep, messages, (message) => shop.tokens.message(message) * scale, sizes.contextTokens);
}
