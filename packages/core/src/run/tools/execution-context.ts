import type { CallAddress } from '../../base/address.ts';
import { digestOf } from '../../base/digest-of.ts';
import { ShallotError } from '../../base/errors.ts';
import { handled } from '../../base/handled.ts';
import type { JsonValue } from '../../base/json.ts';
import { frozenJson } from '../../base/json/frozen-json.ts';
import type { RunInfo } from '../../contract/run-info.ts';
import type { Tool, ToolCall, ToolContext } from '../../contract/tool.ts';
import type { Frame } from '../../hooks/frame.ts';
import type { Owner } from '../../hooks/owner.ts';
import type { Sink } from '../../hooks/sink.ts';
import { endedChild } from '../ended-child.ts';
import { ownerOfTool } from '../offered-tools.ts';
import type { Execution, ExecutionId } from './execution.ts';
import { maxResultTokens } from './result-by-reference.ts';
import type { ToolCallState } from './tool-call-state.ts';

/** The context of a tool execution. Expensive members are created on first access. */
export class ExecutionContext implements ToolContext {
  readonly call: ToolCall;
  readonly #tool: Tool;
  readonly #toolCall: ToolCallState;
  readonly #id: ExecutionId;
  readonly #frame: Frame;
  readonly #sink: Sink<JsonValue> | undefined;
  /** The number of children that this execution has asked for. */
  #children = 0;

  constructor(toolCall: ToolCallState, { approved, id, frame, sink }: Execution) {
    this.call = approved.call;
    this.#tool = approved.tool;
    this.#toolCall = toolCall;
    this.#id = id;
    this.#frame = frame;
    this.#sink = sink;
  }

  get run(): RunInfo {
    return this.#toolCall.run.plugins.viewFor(this.#owner);
  }

  get address(): CallAddress {
    return this.#toolCall.address;
  }

  get signal(): AbortSignal {
    return this.#frame.signal;
  }

  get log(): ToolContext['log'] {
    return this.run.log.child({ tool: this.call.name, callId: this.call.id });
  }

  get files(): ToolContext['files'] {
    return this.run.files;
  }

  get maxResultTokens(): number {
    return maxResultTokens(this.#toolCall.run.terms.parts);
  }

  get idempotencyKey(): string {
    const { run } = this.#toolCall;
    const { id, name, input } = this.call;
    return digestOf([run.record.session.id, run.terms.id, id, name, input, this.#id.ordinal]);
  }

  get fence(): number {
    return this.#toolCall.run.record.session.fence;
  }

  // Getters return functions without `this`, since tools often destructure them.

  get progress(): ToolContext['progress'] {
    return (data) => {
      if (this.#frame.closed || this.#frame.settled) return undefined;
      return this.#sink?.push(frozenJson(data, `the progress of the tool ${this.call.name}`));
    };
  }

  get interrupt(): ToolContext['interrupt'] {
    return (request) => {
      const over = this.#over();
      return over ?? this.#toolCall.askFor('tool', `tool/${this.#id.pass}`, this.call, request, this.#id.key);
    };
  }

  get once(): ToolContext['once'] {
    return (key, fn) => this.#over() ?? this.#toolCall.onceFor(`tool:${this.#id.pass}`, 'tool', key, fn);
  }

  get child(): ToolContext['child'] {
    return (options) => {
      const over = this.#over();
      if (over !== undefined) return over;
      this.#children += 1;
      const at = { place: 'tool', ordinal: this.#children, frame: this.#frame, intent: this.#id.key };
      return this.#toolCall.childFor(at, options);
    };
  }

  get children(): ToolContext['children'] {
    const { children, run } = this.#toolCall;
    return {
      begin: async (options) => {
        await this.#over();
        this.#children += 1;
        const at = { place: 'tool', ordinal: this.#children, tool: this.#tool };
        return this.#toolCall.beginChild(at, options);
      },
      list: () => children.list(),
      result: async (id) =>
        (await this.#over()) ??
        (await children.result(id, this.#frame)) ??
        endedChild(run.terms.parts.store, run.record.session.id, id),
      cancel: async (id) => (await this.#over()) ?? children.cancel(id),
    };
  }

  /** Returns a rejected promise if the tool has settled or was abandoned, else undefined. */
  #over(): Promise<never> | undefined {
    const { closed, settled, reason } = this.#frame;
    if (!closed && !settled) return undefined;
    const late = `The tool ${this.call.name} continued after it had settled. Await everything it starts.`;
    return handled(Promise.reject(closed ? reason : new ShallotError('LAYER_CLOSED', { message: late })));
  }

  get #owner(): Owner {
    return ownerOfTool(this.#toolCall.run.plugins, this.#tool);
  }
}
