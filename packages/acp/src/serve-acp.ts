import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { Readable, Writable } from 'node:stream';

import {
  agent as acpAgent,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  RequestError,
  type AgentContext,
  type ClientCapabilities,
  type NewSessionRequest,
  type ResumeSessionRequest,
} from '@agentclientprotocol/sdk';
import { createRedactor, type Redactor } from '@shallot/core/plugin';
import type { SessionSummary } from '@shallot/core/store';

import { checkRoots } from './check-roots.ts';
import { placesOf } from './editor-files.ts';
import { EditorSession } from './editor-session.ts';
import { directoryOf, listSessions } from './list-sessions.ts';
import { protocolError, unknownSession } from './protocol-error.ts';
import type { EditorAgent, ServedAgent } from './served-agent.ts';
import { serversOf } from './servers-of.ts';
import { chooseMode, chooseOption, optionsOf, type SessionOptions } from './session-options.ts';
import { slashCommands } from './slash-commands.ts';

/** Options of `serveAcp`. */
export interface ServeAcpOptions {
  /**
   * Returns the agent with which runs begin now; a reload may replace it. If it throws, for example because a config
   * does not load, the error is the answer to all requests but `initialize`.
   */
  readonly served: () => ServedAgent;
  /** The name and version of the program, which editors show. */
  readonly program: { readonly name: string; readonly version: string };
  /** The stream from which messages of the editor are read. Default: stdin. */
  readonly input?: Readable;
  /** The stream for messages to the editor. Nothing else may be written to it. Default: stdout. */
  readonly output?: Writable;
}

/** A connection to an editor. */
export interface AcpConnection {
  /** Resolves when the editor has gone and the runs that it began have ended. */
  readonly closed: Promise<void>;
  /** Aborts the runs, and ends the connection. */
  readonly close: () => Promise<void>;
}

/**
 * Serves an agent to one editor over the Agent Client Protocol, version 1. Runs get an `EditorContext`; the agent's `files`
 * can be a function of it.
 */
export function serveAcp(options: ServeAcpOptions): AcpConnection {
  const { input = process.stdin, output = process.stdout } = options;
  const editor = new Editor(options);
  const connection = editor.app.connect(
    ndJsonStream(Writable.toWeb(output), Readable.toWeb(input) as ReadableStream<Uint8Array>),
  );
  const closed = connection.closed.then(() => editor.close());
  return {
    closed,
    close: () => {
      connection.close();
      return closed;
    },
  };
}

/** The side of the agent of one connection. */
class Editor {
  readonly #options: ServeAcpOptions;
  readonly #sessions = new Map<string, EditorSession>();
  #abilities: ClientCapabilities = {};

  constructor(options: ServeAcpOptions) {
    this.#options = options;
  }

  readonly app = acpAgent({ name: 'shallot' })
    .onRequest(methods.agent.initialize, ({ params }) => {
      this.#abilities = params.clientCapabilities ?? {};
      return {
        protocolVersion: PROTOCOL_VERSION,
        agentInfo: this.#options.program,
        agentCapabilities: {
          loadSession: true,
          promptCapabilities: { image: true, audio: true, embeddedContext: true },
          mcpCapabilities: { http: true },
          sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {}, additionalDirectories: {} },
        },
        authMethods: [],
      };
    })
    .onRequest(methods.agent.session.new, ({ params, client }) =>
      this.#told(async () => {
        const sessionId = `session_${randomUUID()}`;
        await checkRoots(params);
        this.#open(sessionId, params, client);
        return { sessionId, ...(await this.#opened(sessionId)) };
      }),
    )
    .onRequest(methods.agent.session.load, ({ params, client }) =>
      this.#told(async () => {
        const session = await this.#reopened(params, client);
        await session.replay();
        return this.#opened(params.sessionId);
      }),
    )
    .onRequest(methods.agent.session.resume, ({ params, client }) =>
      this.#told(async () => {
        await this.#reopened(params, client);
        return this.#opened(params.sessionId);
      }),
    )
    .onRequest(methods.agent.session.list, ({ params }) =>
      this.#told(() => listSessions(params, this.#served)),
    )
    .onRequest(methods.agent.session.prompt, ({ params }) =>
      this.#told(async () => ({ stopReason: await this.#session(params.sessionId).prompt(params.prompt) })),
    )
    .onNotification(methods.agent.session.cancel, ({ params }) =>
      this.#sessions.get(params.sessionId)?.cancel(),
    )
    .onRequest(methods.agent.session.setMode, ({ params }) =>
      this.#told(async () => {
        const session = this.#session(params.sessionId);
        chooseMode(params.modeId, session.agents);
        await this.#showOptions(params.sessionId, session);
        return {};
      }),
    )
    .onRequest(methods.agent.session.setConfigOption, ({ params }) =>
      this.#told(async () => {
        const session = this.#session(params.sessionId);
        await chooseOption(params, session.agents, this.#served);
        const { configOptions = [] } = await this.#showOptions(params.sessionId, session);
        return { configOptions };
      }),
    )
    .onRequest(methods.agent.session.close, ({ params }) =>
      this.#told(async () => {
        await this.#session(params.sessionId).close();
        this.#sessions.delete(params.sessionId);
        return {};
      }),
    )
    .onRequest(methods.agent.session.delete, ({ params: { sessionId } }) =>
      this.#told(async () => {
        const session = this.#sessions.get(sessionId);
        await session?.close();
        this.#sessions.delete(sessionId);
        const context = session?.context ?? {
          cwd: directoryOf(await this.#stored(sessionId), this.#served),
        };
        const deletion = await this.#agent.deleteSession(sessionId, { context });
        if (deletion === undefined && session === undefined) throw unknownSession(sessionId);
        return {};
      }),
    );

  /** Ends all sessions of the connection. */
  async close(): Promise<void> {
    await Promise.all(Array.from(this.#sessions.values(), (session) => session.close()));
  }

  get #served(): ServedAgent {
    return this.#options.served();
  }

  get #agent(): EditorAgent {
    return this.#served.agent;
  }

  /** Returns the protocol's form of an error, without the agent's secrets. */
  #errorOf(error: unknown): RequestError {
    let redactor: Redactor;
    try {
      ({ redactor } = this.#agent);
    } catch {
      // The config does not load, so no agent knows its secrets.
      redactor = createRedactor();
    }
    return protocolError(error, redactor);
  }

  async #told<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw this.#errorOf(error);
    }
  }

  #open(id: string, params: NewSessionRequest, client: AgentContext): EditorSession {
    const { elicitation, session, fs } = this.#abilities;
    const cwd = resolve(params.cwd);
    const opened = new EditorSession({
      id,
      cwd,
      roots: placesOf(params.additionalDirectories ?? []),
      mcpServers: serversOf(params.mcpServers, cwd),
      client,
      abilities: {
        forms: isGiven(elicitation?.form),
        notices: isGiven(session?.notices),
        compactions: isGiven(session?.compaction),
        reads: fs?.readTextFile === true,
        writes: fs?.writeTextFile === true,
      },
      served: () => this.#served,
      reload: () => this.#reload(),
    });
    this.#sessions.set(id, opened);
    return opened;
  }

  #session(sessionId: string): EditorSession {
    const session = this.#sessions.get(sessionId);
    if (session === undefined) throw unknownSession(sessionId);
    return session;
  }

  /**
   * Opens a stored session with the directories and MCP servers that the editor names now. A session that is at work
   * stays as it is.
   * @throws a request error if there is no such session, or if it is about another directory
   */
  async #reopened(params: ResumeSessionRequest, client: AgentContext): Promise<EditorSession> {
    const { sessionId, cwd, mcpServers = [] } = params;
    await checkRoots(params);
    const stored = await this.#stored(sessionId);
    const open = this.#sessions.get(sessionId);
    if (stored === undefined && open === undefined) throw unknownSession(sessionId);
    const own = open?.cwd ?? directoryOf(stored, this.#served);
    if (resolve(cwd) !== own)
      throw RequestError.invalidParams(
        { code: 'SESSION_OF_ANOTHER' },
        `The session ${JSON.stringify(sessionId)} is about the directory ${own}, not ${cwd}. Open that directory, or begin a new session here.`,
      );
    if (open?.isAtWork === true) return open;
    await open?.close();
    return this.#open(sessionId, { ...params, cwd: own, mcpServers }, client);
  }

  async #stored(sessionId: string): Promise<SessionSummary | undefined> {
    for await (const summary of this.#served.store.list({ id: sessionId, limit: 1 })) return summary;
    return undefined;
  }

  /** Reads the config again, and shows the changes in all sessions. */
  async #reload(): Promise<void> {
    await this.#served.reload?.();
    for (const [sessionId, session] of this.#sessions) {
      await this.#showCommands(sessionId, session);
      await this.#showOptions(sessionId, session);
    }
  }

  async #showCommands(sessionId: string, session: EditorSession): Promise<void> {
    const canReload = this.#served.reload !== undefined;
    const availableCommands = await slashCommands(await session.agents.get(), session.run, canReload);
    await session.send({ sessionUpdate: 'available_commands_update', availableCommands });
  }

  async #showOptions(sessionId: string, session: EditorSession): Promise<SessionOptions> {
    const options = await optionsOf(sessionId, session.agents, this.#served);
    const { configOptions, modes } = options;
    if (configOptions !== undefined)
      await session.send({ sessionUpdate: 'config_option_update', configOptions });
    if (modes !== undefined)
      await session.send({ sessionUpdate: 'current_mode_update', currentModeId: modes.currentModeId });
    return options;
  }

  /** Returns the options of a session that was opened. Afterwards lists the commands, and asks the questions that are open. */
  async #opened(sessionId: string): Promise<SessionOptions> {
    const session = this.#session(sessionId);
    const options = await optionsOf(sessionId, session.agents, this.#served);
    setImmediate(() => void this.#afterwards(sessionId, session));
    return options;
  }

  async #afterwards(sessionId: string, session: EditorSession): Promise<void> {
    try {
      await this.#showCommands(sessionId, session);
      await session.nameMissing();
      await session.settle();
    } catch (error) {
      await session.say(this.#errorOf(error).message).catch(() => undefined);
    }
  }
}

function isGiven(ability: object | null | undefined): boolean {
  return ability !== undefined && ability !== null;
}
