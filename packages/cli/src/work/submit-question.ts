import { randomUUID } from 'node:crypto';

import type { JsonObject } from '@shallot/core';

import type { AgentCommandOptions } from '../asking/config-loading.ts';
import { parseJson } from '../asking/parse-json.ts';
import { toJson } from '../rendering/render-json.ts';
import { CommandFailure } from '../terminal/command-failure.ts';
import { exitStatus } from '../terminal/exit-status.ts';
import { readQuestion } from '../terminal/read-question.ts';
import type { Screen } from '../terminal/screen.ts';
import { visibleLine } from '../terminal/visible.ts';
import { withStore } from './with-store.ts';

/** What `shallot run --detach` takes. */
export interface SubmitQuestionOptions extends AgentCommandOptions {
  readonly session?: string;
  readonly abandon?: boolean;
  readonly json?: boolean;
  /** JSON, as it was typed. */
  readonly metadata?: string;
  /** Lets followers in other processes see the answer grow. */
  readonly stream?: boolean;
}

/** Submits a run for a worker, and prints its session. Nothing is loaded but the store. */
export async function submitQuestion(
  question: string | undefined,
  { session = `session_${randomUUID()}`, abandon, json, metadata, stream, ...options }: SubmitQuestionOptions,
  screen: Screen,
): Promise<void> {
  const given = readMetadata(metadata);
  const input = await readQuestion(question, screen.io, screen.broken);
  const { submitRun } = await import('@shallot/core/store');
  await withStore(options, screen, async (store) => {
    const runId = await submitRun(store, session, input, {
      ...(given !== undefined && { metadata: given }),
      ...(abandon && { abandon }),
      ...(stream && { stream }),
    });
    await screen.line(json ? toJson({ sessionId: session, runId }) : visibleLine(session));
  });
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
