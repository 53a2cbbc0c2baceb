import { ShallotError } from '../base/errors.ts';
import { randomId } from '../base/node-crypto.ts';
import { toolCallsOf, type Message } from '../contract/messages.ts';
import type { SessionAbout, SessionRecord, StateRecord, Store } from '../contract/store.ts';
import type { Files } from '../files/files.ts';
import { pathIn, resultPlace } from '../files/session-place.ts';
import { copyResults } from '../files/with-results.ts';
import { readOptions } from '../options/option-shape.ts';
import { option } from '../options/options-schema.ts';
import { checkRevision, quoteSession } from '../sessions/stores/commit-checks.ts';
import { checkOwner, refuseChild, type ForOwner } from '../sessions/stores/for-owner.ts';
import { loadRecord } from '../sessions/stores/load-record.ts';
import { keptFilesOf } from '../tokens/kept-files.ts';

/** Options of `forkSession`. */
export interface ForkOptions extends ForOwner {
  /** The id of the last message that the new session gets. Default: the last one. */
  readonly at?: string;
  /** The id of the new session. Default: a random one. */
  readonly as?: string;
  /**
   * The agent's files. With them the new session gets its own copies of the large results that its messages name. Without
   * them, it loses these results when the other session is deleted.
   */
  readonly files?: Files;
}

/** The session that `forkSession` created. */
export interface ForkedSession {
  readonly sessionId: string;
  /** The plugins whose session state begins again, because it belongs to later messages. */
  readonly withoutState: readonly string[];
}

/**
 * Creates a session with the messages of another one up to `at`, with their ids; the other session stays as it is. The
 * owner, the title, the directory and the chosen model stay; the usage begins at zero. Plugins keep their state of the
 * session if `at` is the last message, and otherwise begin again, unless they declared `onFork`. Files that plugins keep
 * for the other session are not copied. Needs no agent. @throws `SESSION_NOT_FOUND`, `SESSION_OF_ANOTHER`,
 * `SESSION_IS_CHILD`; `OPTION_INVALID` if there is no such message, or calls before it have no result yet;
 * `STORE_CONFLICT` if the new id is taken
 */
export async function forkSession(
  store: Store,
  from: string,
  { files, ...options }: ForkOptions = {},
): Promise<ForkedSession> {
  return forkWith(store, from, options, files && (() => files));
}

/** Implements `forkSession`, with or without an agent. `files` is called only if there are results to copy. */
export async function forkWith(
  store: Store,
  from: string,
  { owner, ...given }: Omit<ForkOptions, 'files'>,
  files: (() => Files) | undefined,
): Promise<ForkedSession> {
  const id = option.text('a non-empty string', /[^]/);
  const { at, as = randomId('session') } = readOptions('forkSession', { at: id, as: id }, given);
  const record = await loadRecord(store, from);
  if (record === undefined) {
    throw new ShallotError('SESSION_NOT_FOUND', {
      message: `There is no session ${quoteSession(from)} to fork.`,
    });
  }
  checkOwner(record, { owner });
  refuseChild(record);
  const messages = messagesUpTo(record, at);
  const isWhole = messages.length === record.messages.length;
  const { state, withoutState } = forkedState(record.state, isWhole);
  const results = messages.flatMap((message) => (message.role === 'tool' ? keptFilesOf(message) : []));
  const about = notesOf(record.about, results.length === 0 ? [] : [pathIn(resultPlace, as)]);
  if (files !== undefined && results.length > 0) {
    checkRevision(as, 0, (await loadRecord(store, as))?.revision ?? 0);
    // Copied before the commit that names them: if the process dies in between, only unused files are left.
    await copyResults(files(), results, from, as);
  }
  await store.commit(as, 0, {
    append: messages,
    ...(Object.keys(state).length === 0 ? {} : { state }),
    ...(about === undefined ? {} : { about }),
  });
  return { sessionId: as, withoutState };
}

/** Returns the state that a fork has, and the plugins that lose some of theirs. */
function forkedState(
  state: StateRecord,
  isWhole: boolean,
): Pick<ForkedSession, 'withoutState'> & { readonly state: StateRecord } {
  const kept: Record<string, StateRecord[string]> = {};
  const withoutState: string[] = [];
  for (const [plugin, entries] of Object.entries(state)) {
    const all = Object.entries(entries);
    const own = all.filter(([, { onFork }]) => (isWhole ? onFork !== 'begin-again' : onFork === 'keep'));
    if (own.length > 0) kept[plugin] = Object.freeze(Object.fromEntries(own));
    if (own.length < all.length) withoutState.push(plugin);
  }
  return { state: Object.freeze(kept), withoutState };
}

function messagesUpTo({ id, messages }: SessionRecord, at: string | undefined): readonly Message[] {
  const last =
    at === undefined ? messages.length - 1 : messages.findLastIndex((message) => message.id === at);
  const kept = messages.slice(0, last + 1);
  if (at !== undefined && last === -1) {
    throw invalidPlace(at, `session ${quoteSession(id)} has no such message. Choose one that it has`);
  }
  const open = openCalls(kept);
  if (open.length === 0) return kept;
  const lastBefore = kept.findLast((_, index) => openCalls(kept.slice(0, index + 1)).length === 0);
  const advice = lastBefore === undefined ? 'Wait for them' : `Wait for them, or choose ${lastBefore.id}`;
  throw invalidPlace(at, `the calls ${open.join(', ')} have no result up to there. ${advice}`);
}

/** Returns the ids of calls without a result. */
function openCalls(messages: readonly Message[]): readonly string[] {
  const results = new Set(messages.flatMap((message) => (message.role === 'tool' ? [message.callId] : [])));
  return messages.flatMap(toolCallsOf).flatMap(({ id }) => (results.has(id) ? [] : [id]));
}

/** Returns the notes of a session that also apply to a fork, with the fork's own files. */
function notesOf(
  { owner, title, cwd, modelName }: SessionAbout = {},
  files: readonly string[],
): SessionAbout | undefined {
  const notes = {
    ...(owner === undefined ? {} : { owner }),
    ...(title === undefined ? {} : { title }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(modelName === undefined ? {} : { modelName }),
    ...(files.length === 0 ? {} : { files: Object.freeze(files) }),
  };
  return Object.keys(notes).length === 0 ? undefined : Object.freeze(notes);
}

function invalidPlace(at: string | undefined, why: string): ShallotError {
  const place = at === undefined ? 'not given' : JSON.stringify(at);
  return new ShallotError('OPTION_INVALID', {
    message: `The option "at" of forkSession is ${place}, and ${why}.`,
  });
}
