import type { AnySchema, SchemaOutput } from '../../base/schema.ts';
import type { Input } from '../messages.ts';
import type { ChatModel, FinishReason, RunSettings } from '../model.ts';
import type { StopReason } from '../result.ts';
import type { RunUsage } from '../usage.ts';

/**
 * An agent for child runs. It runs on the plugins of its parent: their gates, services and servers are the same objects, and
 * nothing is set up again.
 */
export interface ChildAgent {
  readonly name: string;
  /** The system prompt. Default: none; the parent's is not used. */
  readonly instructions?: string;
  /** Default: the parent's. */
  readonly model?: ChatModel;
  /** Settings of every model call. Default: the parent's. */
  readonly settings?: RunSettings;
  /** The schema of its answers, unless the options of the child run have one. Default: none. */
  readonly output?: AnySchema;
  /**
   * Patterns that select from the tools offered to the parent at the step of the call; a pattern that begins with `!`
   * excludes tools. Default: all of them. Only `grants` adds tools that the parent was not offered.
   */
  readonly tools?: readonly string[];
  /**
   * Names of registered tools of the agent at the root that the parent was not offered; `plugin/tool` replaces another
   * plugin's tool of that name. Take them from the configuration only, never from what a model wrote.
   */
  readonly grants?: readonly string[];
  /**
   * The ids of the parent's plugins whose taps also surround the child. Taps with `tree`, such as gates, always do. Default:
   * none.
   */
  readonly plugins?: readonly string[];
  /** Default: the parent's. */
  readonly maxSteps?: number;
}

/** The options of a child run. */
export interface ChildOptions<S extends AnySchema = AnySchema> {
  readonly agent: ChildAgent;
  /** All that the child knows of its task: nothing of the parent's conversation is passed on. */
  readonly prompt: Input;
  /** The schema of the answer. Default: that of the agent. */
  readonly output?: S;
  /** The session of a finished child of this session, to continue. Default: a new session. */
  readonly sessionId?: string;
  /** The maximum depth of the tree below the root. Default: 3. */
  readonly maxDepth?: number;
  /** The maximum number of children of one run. Default: 100. */
  readonly maxChildren?: number;
}

/** The result of a child run that has ended. Its messages stay in its own session. */
export interface ChildResult<Output = unknown> {
  readonly sessionId: string;
  /** The text of the answer. */
  readonly text: string;
  /** The validated output; undefined without a schema. */
  readonly output: Output;
  readonly stopReason: StopReason;
  /** Undefined if no model call made the answer. */
  readonly finish: FinishReason | undefined;
  /** Including the child's own children. The parent's usage contains it. */
  readonly usage: RunUsage;
  readonly steps: number;
}

/** Runs a child; see `ToolContext.child`. */
export type RunChild = <S extends AnySchema = never>(
  options: ChildOptions<S>,
) => Promise<ChildResult<SchemaOutput<S>>>;

/** A background child, as the run that began it knows it. */
export type BackgroundChild = {
  readonly sessionId: string;
  /** The name of its agent. */
  readonly agent: string;
} & (
  | {
      /** `waiting`: it waits for answers to its questions, which are asked once the run has its own answer. */
      readonly status: 'running' | 'waiting';
    }
  | { readonly status: 'ended'; readonly result: ChildResult }
  | { readonly status: 'failed'; readonly error: string }
);

/** The children that a run has in the background. */
export interface Children {
  /**
   * Begins a child in the background, and resolves with its session id once it is stored. The run waits for it before
   * it ends. The tool needs `background`; calls of `begin` and `child` must come in the same order each time.
   * @throws `CHILD_REFUSED`, `OPTION_INVALID`
   */
  readonly begin: (options: Omit<ChildOptions, 'output'>) => Promise<string>;
  /** Returns the children whose end the model has not been told of, in the order in which they began. */
  readonly list: () => readonly BackgroundChild[];
  /**
   * Waits until a child has ended, failed, or waits for an answer, and returns it; undefined if this session has no such
   * child. The model is then not told of its end. Children of earlier runs can be read, too.
   */
  readonly result: (sessionId: string) => Promise<BackgroundChild | undefined>;
  /** Aborts a child for good. Returns false if it is not running or waiting. */
  readonly cancel: (sessionId: string) => Promise<boolean>;
}

/** Declares a tool that begins children in the background: how to find their agents again, and how long a run waits. */
export interface BackgroundAgents {
  /** Returns the agent of this name, to continue its children after a crash or an answer; undefined if it is gone. */
  agent(name: string): ChildAgent | undefined;
  /**
   * The time that a run with an answer waits for its children, in milliseconds; then it aborts them. Default: 600,000.
   */
  readonly waitMs?: number;
}

// Declared here because the types form a circle: a child has a model, a model is given tools, and tools begin children.
declare module '../tool.ts' {
  interface ToolDefinition<S extends AnySchema, Context> {
    /** Required if the tool calls `children.begin`. */
    readonly background?: BackgroundAgents;
  }

  interface Tool {
    readonly background?: BackgroundAgents;
  }

  interface ToolContext<Context> {
    /** The children in the background. */
    readonly children: Children;

    /**
     * Runs another agent on this agent's plugins, in a session of its own, and returns its result. Its questions are asked as
     * this run's; like `interrupt`, it then rejects to unwind to the core. Each child that a call has begun is continued when the
     * call is executed again: calls of `child` must come in the same order. @throws `CHILD_REFUSED`, the error of a failed child
     */
    readonly child: RunChild;
  }
}
