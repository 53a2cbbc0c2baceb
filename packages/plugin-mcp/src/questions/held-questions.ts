import type { ElicitRequest, ElicitResult } from '@modelcontextprotocol/client';
import type { Logger, ToolContext } from '@shallot/core';
import { messageOf } from '@shallot/core/plugin';

import type { Elicit, ElicitAnswer } from './question.ts';
import { readQuestion } from './read-question.ts';

/**
 * Handles questions for which a server keeps a call open. They cannot be interrupts, because the call cannot wait for
 * days.
 */
export class HeldQuestions {
  readonly #server: string;
  readonly #elicit: Elicit | undefined;
  readonly #log: Logger;
  readonly #calls = new Set<ToolContext>();

  constructor(server: string, elicit: Elicit | undefined, log: Logger) {
    this.#server = server;
    this.#elicit = elicit;
    this.#log = log;
  }

  /** Runs a call. Warnings about questions go to the runs of current calls. */
  async during<T>(call: ToolContext, work: () => Promise<T>): Promise<T> {
    this.#calls.add(call);
    try {
      return await work();
    } finally {
      this.#calls.delete(call);
    }
  }

  async answer({ params }: ElicitRequest, signal: AbortSignal): Promise<ElicitResult> {
    const read = readQuestion(this.#server, params);
    if ('refused' in read) return this.#decline(`${read.refused}.`);
    if (this.#elicit === undefined) {
      return this.#decline(
        'it was asked while a call was held, as revisions before 2026-07-28 do, and nobody can be asked. Give the option elicit, in code, to answer such questions.',
      );
    }
    try {
      return resultOf(await this.#elicit(read.question, { signal }));
    } catch (error) {
      return this.#decline(`elicit failed: ${messageOf(error)}`);
    }
  }

  #decline(why: string): ElicitResult {
    const message = `A question of the MCP server ${this.#server} was declined: ${why}`;
    const [call, ...others] = this.#calls;
    if (call === undefined || others.length > 0) this.#log.warn({ code: 'mcp/QUESTION_DECLINED' }, message);
    else call.run.warn('QUESTION_DECLINED', message);
    return { action: 'decline' };
  }
}

/** Returns an answer in the form of the protocol. @throws for an invalid answer */
function resultOf(answer: ElicitAnswer): ElicitResult {
  const { action } = answer;
  if (action === 'decline' || action === 'cancel') return { action };
  if (action !== 'accept') throw new Error(`its answer has the action ${JSON.stringify(action)}`);
  // The client validates the values.
  return { action, content: { ...answer.content } } as ElicitResult;
}
