import type { PermissionMode } from '@shallot/core/plugin';

import type { EditorAgent, EditorMcpServer, ServedAgent, SessionParts } from './served-agent.ts';

interface SessionAgentOptions {
  readonly sessionId: string;
  /** Returns the agent with which runs begin now. */
  readonly served: () => ServedAgent;
  readonly mcpServers: Readonly<Record<string, EditorMcpServer>>;
  /** Receives the errors of MCP servers that do not start. */
  readonly onProblem: (problem: unknown) => void;
}

/** An agent that was made for the session, and the served agent that it was made from. */
interface Made {
  readonly from: EditorAgent;
  readonly agent: EditorAgent;
}

/**
 * The agent of a session: an agent of its own while it has MCP servers of the editor or another model, otherwise the
 * served agent.
 */
export class SessionAgent {
  readonly #options: SessionAgentOptions;
  #made: Made | undefined;
  #making: Promise<unknown> = Promise.resolve();
  #model: string | undefined;
  #mode: PermissionMode | undefined;

  constructor(options: SessionAgentOptions) {
    this.#options = options;
  }

  /** The name of the model that was chosen; undefined for that of the config. */
  get model(): string | undefined {
    return this.#model;
  }

  /** The session's own agent as it was last made; the served agent if the session has none of its own. */
  get last(): EditorAgent {
    return this.#made?.agent ?? this.#options.served().agent;
  }

  /** Returns the agent for the next run. Makes the session's own agent again if the served agent or the model has changed. */
  async get(): Promise<EditorAgent> {
    const next = this.#making.then(() => this.#present());
    this.#making = next.catch(() => undefined);
    return next;
  }

  /**
   * Chooses the model of the next runs; undefined for that of the config. @throws the errors of making the agent; the
   * session then keeps its previous model
   */
  async chooseModel(model: string | undefined): Promise<void> {
    const before = this.#model;
    if (model === before) return;
    this.#model = model;
    const left = this.#made;
    this.#made = undefined;
    try {
      await this.get();
    } catch (error) {
      this.#model = before;
      this.#made = left;
      throw error;
    }
    await left?.agent.close({ runs: 'finish' });
  }

  /** Chooses the mode of the permissions. @throws if it is wider than the config allows */
  chooseMode(mode: PermissionMode): void {
    this.last.permissions?.chooseMode(this.#options.sessionId, mode);
    this.#mode = mode;
  }

  /** Closes the agent, if it is the session's own. */
  async close(): Promise<void> {
    await this.#making;
    await this.#made?.agent.close();
    this.#made = undefined;
  }

  async #present(): Promise<EditorAgent> {
    const { served, mcpServers, onProblem, sessionId } = this.#options;
    const { agent: from, forSession } = served();
    const isOwn = this.#model !== undefined || Object.keys(mcpServers).length > 0;
    if (!isOwn || forSession === undefined) {
      if (this.#mode !== undefined) from.permissions?.chooseMode(sessionId, this.#mode);
      return from;
    }
    if (this.#made?.from === from) return this.#made.agent;
    const parts: SessionParts = { mcpServers, ...(this.#model !== undefined && { model: this.#model }) };
    const { agent, problems } = await forSession(parts);
    void this.#made?.agent.close({ runs: 'finish' }).catch(onProblem);
    if (this.#mode !== undefined) agent.permissions?.chooseMode(sessionId, this.#mode);
    this.#made = { from, agent };
    for (const problem of problems) onProblem(problem);
    return agent;
  }
}
