import type { JsonObject, JsonValue, Message, RunInfo, ToolCall, ToolResult } from '@shallot/core';
import { isShallotError } from '@shallot/core';
import type { ModelRequest, ModelResponse } from '@shallot/core/model';
import {
  eachInTicks,
  GrowingMessages,
  mapText,
  textPart,
  withUnseenInput,
  type InputContext,
  type ModelNext,
  type ModelScope,
  type Run,
  type ToolNext,
  type ToolScope,
} from '@shallot/core/plugin';

import { restoreJson, type Originals, type RunOriginals } from './originals.ts';
import { redactMessage, redactPart, redactResponseMetadata, redactResult } from './redact-messages.ts';
import { RedactedProgress } from './redacted-progress.ts';
import { TextRedaction, type Rules } from './text-redaction.ts';

/** The key of the state with the values of placeholders. */
export const originalsKey = 'originals';

/** Access to the values of placeholders; undefined if no action uses placeholders. */
export interface KeptOriginals {
  readonly forInput: (keep: (entries: JsonObject) => void) => Originals;
  readonly forRun: (run: RunInfo) => RunOriginals;
}

/** Redacts the input and output of models and tools. */
export class RedactedCalls {
  readonly #rules: Rules;
  readonly #kept: KeptOriginals | undefined;
  /** Redacted histories, so that each message is searched once; undefined for one without matches. */
  readonly #redacted = new GrowingMessages<readonly Message[] | undefined>();

  constructor(rules: Rules, kept: KeptOriginals | undefined) {
    this.#rules = rules;
    this.#kept = kept;
  }

  /** Redacts input messages before they are stored. */
  input(messages: readonly Message[], { keep }: InputContext): readonly Message[] {
    const originals = this.#kept?.forInput((entries) => keep(originalsKey, entries));
    const redaction = new TextRedaction(this.#rules, originals);
    return messages.map((message) => redactMessage(message, redaction));
  }

  /** Redacts changes that other plugins made to the input. */
  redactInput(run: Run): void {
    const redaction = this.redactionFor(run);
    const input = run.newMessages.map((message) => redactMessage(message, redaction));
    if (input.some((message, index) => message !== run.newMessages[index])) run.setInput(input);
  }

  async aroundModel(
    request: ModelRequest,
    next: ModelNext,
    { run, emit }: ModelScope,
  ): Promise<ModelResponse> {
    const originals = this.#kept?.forRun(run);
    const redaction = new TextRedaction(this.#rules, originals);
    const layer = mapText({
      stage: () => redaction.stage(),
      reasoning: true,
      part: (part) => redactPart(part, redaction),
      input: (input) => redaction.json(input),
    });
    const response = await layer(await this.#redactRequest(request, redaction, originals), next, { emit });
    return redactResponseMetadata(response, redaction);
  }

  /** Redacts a result before it is stored. */
  result(result: ToolResult, run: RunInfo): ToolResult {
    return redactResult(result, this.redactionFor(run));
  }

  async aroundTool(call: ToolCall, next: ToolNext, { run, emit }: ToolScope): Promise<ToolResult> {
    const redaction = this.redactionFor(run);
    const passed = this.#withOriginals(call, run);
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

  redactionFor(run: RunInfo, rules = this.#rules): TextRedaction {
    return new TextRedaction(rules, this.#kept?.forRun(run));
  }

  /** Replaces the placeholders in JSON with their values. */
  restore(value: JsonValue, run: RunInfo): JsonValue {
    const originals = this.#kept?.forRun(run);
    return originals === undefined ? value : restoreJson(value, originals.valueOf);
  }

  /** Returns the call with the original values, for the tool. */
  #withOriginals(call: ToolCall, run: RunInfo): ToolCall {
    const input = this.restore(call.input, run);
    return input === call.input ? call : withUnseenInput(call, input);
  }

  async #redactRequest(
    request: ModelRequest,
    redaction: TextRedaction,
    originals: RunOriginals | undefined,
  ): Promise<ModelRequest> {
    const { messages } = request;
    const { length, value } = this.#redacted.find(messages) ?? { length: 0, value: undefined };
    const added: Message[] = [];
    let isSame = value === undefined;
    // A stored session that this process has not searched may be long.
    const search = (): Promise<void> =>
      eachInTicks(messages.slice(length), (message) => {
        const redacted = redactMessage(message, redaction);
        isSame &&= redacted === message;
        added.push(redacted);
      });
    await (originals === undefined ? search() : originals.together(search));
    const redacted = isSame ? undefined : [...(value ?? messages.slice(0, length)), ...added];
    this.#redacted.keep(messages, redacted, length);
    return redacted === undefined ? request : { ...request, messages: redacted };
  }
}

async function withProgress(call: ToolCall, next: ToolNext, progress: RedactedProgress): Promise<ToolResult> {
  try {
    return await next(call, { emit: progress.push });
  } finally {
    await progress.end();
  }
}
