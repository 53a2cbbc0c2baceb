import { createAgent, memoryStore, type Agent, type JsonValue } from '@shallot/core';
import type { Store } from '@shallot/core/store';

import type { Conversation, Stage, Turn } from './conversation.ts';
import type { Transcript, TurnRecord } from './transcript.ts';

/** A client that plays a conversation with an agent, in the way of one protocol. */
export interface Player extends AsyncDisposable {
  /** Begins a run, and reads it until it ends or asks. Returns the number of questions that it asks. */
  begin(turn: Turn): Promise<number>;
  /** Answers the open questions, in their order, and reads the run until it ends or asks again. */
  answer(answers: readonly JsonValue[]): Promise<number>;
  /** Returns the turn as the client has it. */
  read(): Promise<ReadTurn> | ReadTurn;
}

/** A turn as a client reads it. */
export type ReadTurn = Omit<TurnRecord, 'isRetried'>;

/** Creates a player of an agent's sessions. It creates the agent as well. */
export type CreatePlayer = (setting: Setting) => Promise<Player>;

/** An agent to play with, and its store. */
export interface Setting {
  readonly store: Store;
  /** Returns the agent that a conversation is played with. */
  readonly agentFor: (stage: Stage) => Promise<Agent>;
}

/** Plays a conversation, and returns it as the client has it in the end. */
export async function play(conversation: Conversation, createPlayer: CreatePlayer): Promise<Transcript> {
  const store = memoryStore();
  const agents: Agent[] = [];
  const agentFor: Setting['agentFor'] = async (stage) => {
    const agent = await createAgent({ ...conversation.parts(stage), name: 'shop', store });
    agents.push(agent);
    return agent;
  };
  const player = await createPlayer({ store, agentFor });
  const turns: TurnRecord[] = [];
  try {
    for (const turn of conversation.turns) {
      const answers = [...(turn.answers ?? [])];
      let open = await player.begin(turn);
      while (open > 0 && answers.length > 0) open = await player.answer(answers.splice(0, open));
      turns.push({ ...(await player.read()), isRetried: conversation.isRetried });
    }
  } finally {
    await player[Symbol.asyncDispose]();
    for (const agent of agents) await agent.close();
  }
  return turns;
}
