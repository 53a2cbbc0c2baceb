import { isShallotError, type Message, type RunInfo, type ToolCall, type ToolResult } from '@shallot/core';
import type { ModelRequest, ModelResponse } from '@shallot/core/model';
import {
  textPart,
  withUnseenInput,
  type ModelNext,
  type ModelScope,
  type Run,
  type ToolNext,
  type ToolScope,
} from '@shallot/core/plugin';

import type { Originals } from './originals.ts';
import { redactMessage, redactResponse, redactResult } from './redact-messages.ts';
import { RedactedProgress } from './redacted-progress.ts';
import { RedactingStream } from './redacting-stream.ts';
import { TextRedaction, type Rules } from './text-redaction.ts';

/** Redacts what goes into model and tools and comes out of them. */
export class RedactedCalls {
  readonly #rules: Rules;
  readonly #originalsOf: (run: RunInfo) => Originals | undefined;
  /** Messages in which nothing was found: a history is searched once. */
  readonly #clean = new WeakSet<Message>();

  /** For runs that keep no originals. */
  readonly #plain: TextRedaction;

  constructor(rules: Rules, originalsOf: (run: RunInfo) => Originals | undefined) {
    this.#rules = rules;
    this.#originalsOf = originalsOf;
    this.#plain = new TextRedaction(rules, undefined, false);
  }

  redactInput(run: Run): void {
    const redaction = this.#redactionFor(this.#originalsOf(run), true);
    const input = run.newMessages.map((message) => redactMessage(message, redaction));
    if (input.some((message, index) => message !== run.newMessages[index])) run.setInput(input);
  }

  async aroundModel(
    request: ModelRequest,
    next: ModelNext,
    { run, emit }: ModelScope,
  ): Promise<ModelResponse> {
    const redaction = this.#redactionFor(this.#originalsOf(run), false);
    const passed = this.#redactRequest(request, redaction);
    if (emit === undefined) return redactResponse(await next(passed), redaction);
    const stream = new RedactingStream(redaction, emit);
    const response = await next(passed, { emit: stream.push });
    const redacted = redactResponse(response, redaction);
    await stream.end();
    return redacted;
  }

  async aroundTool(call: ToolCall, next: ToolNext, { run, emit }: ToolScope): Promise<ToolResult> {
    const originals = this.#originalsOf(run);
    const redaction = this.#redactionFor(originals, true);
    const passed = withOriginals(call, originals);
    const result =
      emit === undefined
        ? await next(passed)
        : await withProgress(passed, next, new RedactedProgress(redaction, emit));
    try {
      return redactResult(result, redaction);
    } catch (error) {
      if (!isShallotError(error, 'redaction/BLOCKED')) throw error;
      return { content: [textPart(`The result is withheld: ${error.message}`)], isError: true };
    }
  }

  #redactionFor(originals: Originals | undefined, fromOutside: boolean): TextRedaction {
    return originals === undefined ? this.#plain : new TextRedaction(this.#rules, originals, fromOutside);
  }

  #redactRequest(request: ModelRequest, redaction: TextRedaction): ModelRequest {
    const messages = request.messages.map((message) => {
      if (this.#clean.has(message)) return message;
      const redacted = redactMessage(message, redaction);
      if (redacted === message) this.#clean.add(message);
      return redacted;
    });
    const isChanged = messages.some((message, index) => message !== request.messages[index]);
    return isChanged ? { ...request, messages } : request;
  }
}

/** The call as the tool gets it. */
function withOriginals(call: ToolCall, originals: Originals | undefined): ToolCall {
  const input = originals?.restoreJson(call.input) ?? call.input;
  return input === call.input ? call : withUnseenInput(call, input);
}

async function withProgress(call: ToolCall, next: ToolNext, progress: RedactedProgress): Promise<ToolResult> {
  try {
    return await next(call, { emit: progress.push });
  } finally {
    await progress.end();
  }
}
