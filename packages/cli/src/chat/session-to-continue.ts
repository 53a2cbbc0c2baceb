import { ShallotError } from '@shallot/core';
import type { SessionSummary } from '@shallot/core/store';

import { shortTime } from '../rendering/short-time.ts';
import { CommandFailure } from '../terminal/command-failure.ts';
import { count } from '../terminal/count.ts';
import { exitStatus } from '../terminal/exit-status.ts';
import type { Choice } from '../terminal/prompts.ts';
import type { Screen } from '../terminal/screen.ts';
import { visibleLine } from '../terminal/visible.ts';
import { sessionToUse } from '../work/find-session.ts';
import type { OpenedAgent } from '../work/with-agent.ts';
import type { ChatOptions } from './chat-options.ts';
import type { Desk } from './desk.ts';

/** The most sessions to choose from. */
const maxChoices = 30;

/** Rejects options that name the session in more than one way. */
export function refuseTwoSessions({ session, continue: last, resume }: ChatOptions): void {
  const given = [
    ...(session === undefined ? [] : ['--session']),
    ...(last ? ['--continue'] : []),
    ...(resume ? ['--resume'] : []),
  ];
  if (given.length < 2) return;
  throw new CommandFailure(
    exitStatus.usage,
    `${given.join(' and ')} name the session in more than one way: write one of them.`,
  );
}

/**
 * Returns the id of the session that the options tell a chat to continue; undefined for a new session. @throws
 * `SESSION_NOT_FOUND`; `PromptLeft` if the person leaves the choice open; a usage failure if nobody can choose
 */
export async function sessionToContinue(
  { session, continue: last, resume }: ChatOptions,
  { agent, store }: Pick<OpenedAgent, 'agent' | 'store'>,
  { desk, screen }: { readonly desk: Desk; readonly screen: Screen },
): Promise<string | undefined> {
  if (session !== undefined) return sessionToUse(store, session, screen);
  if (!last && !resume) return undefined;
  const recent = await recentSessions(store.list(), agent.id ?? agent.name, last ? 1 : maxChoices);
  const [first] = recent;
  if (first === undefined) {
    throw new ShallotError('SESSION_NOT_FOUND', {
      message: 'There is no session to continue. Start one with: shallot chat.',
    });
  }
  return last ? first.id : choose(recent, desk);
}

/**
 * Returns the first sessions of a listing that belong to this agent, or to none because their config has no name. Leaves
 * out damaged sessions, those that other sessions began, and those that belong to users of an application.
 */
async function recentSessions(
  listed: AsyncIterable<SessionSummary>,
  agentId: string,
  most: number,
): Promise<readonly SessionSummary[]> {
  const recent: SessionSummary[] = [];
  for await (const summary of listed) {
    const { damaged, agent, about: { parent, owner } = {} } = summary;
    if (damaged === true || (agent !== undefined && agent.id !== agentId)) continue;
    if (parent !== undefined || owner !== undefined) continue;
    recent.push(summary);
    if (recent.length === most) break;
  }
  return recent;
}

async function choose(recent: readonly SessionSummary[], desk: Desk): Promise<string> {
  if (!desk.asks) {
    throw new CommandFailure(
      exitStatus.usage,
      '--resume asks, which needs a terminal. Write --continue, or --session with an id of shallot sessions.',
    );
  }
  const choices: readonly Choice<string>[] = recent.map(({ id, about, messages, updatedAt }) => ({
    value: id,
    label: visibleLine(about?.title ?? id),
    hint: `${count(messages, 'message')}, ${shortTime(updatedAt)}`,
  }));
  return desk.ask((prompts) => prompts.choose('Which session?', choices));
}
