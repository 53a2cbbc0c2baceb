import type { Message } from '../contract/messages.ts';
import type { Store } from '../contract/store.ts';
import type { FollowedTreeEvent } from './followed-event.ts';
import { readNew } from './read-new.ts';

/** The progress of a follower in a child, and the follower of the child's own children. */
interface FollowedChild {
  readonly below: ChildFollower;
  revision: number;
  last: string | undefined;
}

/** Follows the children of a run through their records: the messages and results of each, once. */
export class ChildFollower {
  readonly #store: Store;
  readonly #parent: string;
  readonly #children = new Map<string, FollowedChild>();

  constructor(store: Store, parent: string) {
    this.#store = store;
    this.#parent = parent;
  }

  /** Returns the new events of the children that a run has begun, and of theirs, by the call that began each. */
  async look(runId: string): Promise<Map<string, FollowedTreeEvent[]>> {
    const found = new Map<string, FollowedTreeEvent[]>();
    for await (const { id, revision } of this.#store.list({ parent: this.#parent })) {
      const child = this.#children.get(id) ?? this.#add(id);
      if (child.revision === revision) continue;
      const read = await readNew(this.#store, id, undefined, child.last);
      const run = read?.head.run;
      if (read === undefined || run?.parent?.runId !== runId) continue;
      const below = await child.below.look(run.id);
      const reload: readonly FollowedTreeEvent[] = read.isAnew === true ? [{ type: 'reload' }] : [];
      const events = [...reload, ...withChildren(read.messages, below)];
      child.revision = read.head.revision;
      child.last = read.messages.at(-1)?.id ?? child.last;
      const { callId } = run.parent;
      const wrapped = events.map((event): FollowedTreeEvent => {
        return { type: 'child', callId, sessionId: id, agent: run.agent?.id ?? '', event };
      });
      found.set(callId, [...(found.get(callId) ?? []), ...wrapped]);
    }
    return found;
  }

  #add(id: string): FollowedChild {
    const child = { below: new ChildFollower(this.#store, id), revision: -1, last: undefined };
    this.#children.set(id, child);
    return child;
  }
}

/** Yields the events of messages and of children: those of a child come before the result of its call. */
export function* withChildren(
  messages: readonly Message[],
  children: Map<string, FollowedTreeEvent[]>,
): Generator<FollowedTreeEvent, void, void> {
  for (const message of messages) {
    if (message.role === 'tool') {
      yield* children.get(message.callId) ?? [];
      children.delete(message.callId);
    }
    yield eventOf(message);
  }
  for (const events of children.values()) yield* events;
}

function eventOf(message: Message): FollowedTreeEvent {
  return message.role === 'tool' ? { type: 'tool-end', message } : { type: 'message', message };
}
