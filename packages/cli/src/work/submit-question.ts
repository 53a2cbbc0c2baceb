import type { JsonObject } from '@shallot/core';

import type { AgentCommandOptions } from '../asking/config-loading.ts';
import { parseJson } from '../asking/parse-json.ts';
import { toJson } from '../rendering/render-json.ts';
import { CommandFailure } from '../terminal/command-failure.ts';
import { exitStatus } from '../terminal/exit-status.ts';
import { readQuestion } from '../terminal/read-question.ts';
import type { Screen } from '../terminal/screen.ts';
import { visibleLine } from '../terminal/visible.ts';
import { sessionToUse } from './find-session.ts';
import { notesHere } from './notes-here.ts';
import { requireShared } from './require-shared.ts';
import { withAgent } from './with-agent.ts';

/** The options of `shallot run --detach`. */
export interface SubmitQuestionOptions extends AgentCommandOptions {
  readonly session?: string;
  readonly abandon?: boolean;
  readonly json?: boolean;
  /** The metadata as typed, in JSON. */
  readonly metadata?: string;
  /** Publishes the deltas of the answer for followers in other processes. */
  readonly stream?: boolean;
}

/**
 * Submits a run for a worker, and prints its session. Loads the agent, because plugins may check the input before it is
 * stored.
 */
export async function submitQuestion(
  question: string | undefined,
  { session, abandon, json, metadata, stream, ...options }: SubmitQuestionOptions,
  screen: Screen,
): Promise<void> {
  const given = readMetadata(metadata);
  const input = await readQuestion(question, screen.io, screen.broken);
  await withAgent(
    { ...options, quiet: true },
    { screen, signal: screen.broken },
    async ({ agent, store, config }) => {
      requireShared(store, 'shallot run --detach', config.merged.store?.locate());
      const { sessionId, runId } = await agent.submit(input, {
        ...notesHere(screen, input),
        ...(session !== undefined && { sessionId: await sessionToUse(store, session, screen) }),
        ...(given !== undefined && { metadata: given }),
        ...(abandon && { abandon }),
        ...(stream && { stream }),
      });
      await screen.line(json ? toJson({ sessionId, runId }) : visibleLine(sessionId));
    },
  );
}

function readMetadata(text: string | undefined): JsonObject | undefined {
  if (text === undefined) return undefined;
  const read = parseJson(text);
  if ('problem' in read) throw new CommandFailure(exitStatus.usage, `--metadata: ${read.problem}`);
  const { value } = read;
  if (isObject(value)) return value;
  throw new CommandFailure(
    exitStatus.usage,
    '--metadata is no object; write { "user": "ann" }, for example.',
  );
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
