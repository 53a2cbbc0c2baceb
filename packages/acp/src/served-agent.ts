import type { Agent } from '@shallot/core';
import type { Store } from '@shallot/core/store';

import type { EditorBuffers } from './unsaved-files.ts';

/** The context of a run that an editor began, for agents with separate files per run. */
export interface EditorContext {
  /** The absolute directory of the session: the root of its files. */
  readonly cwd: string;
  /** Absolute directories of the editor in addition to `cwd`, by their places in the files: `/roots/NAME/`. */
  readonly roots?: Readonly<Record<string, string>>;
  /** The files as the editor shows them, if the agent is to see those. */
  readonly buffers?: EditorBuffers;
  /** The names of the editor's MCP servers. */
  readonly mcpServers?: readonly string[];
}

/** A served agent, which may have been loaded without a type for its context. */
export type EditorAgent = Omit<Agent<EditorContext>, 'fork'>;

/** An agent, and the sessions that an editor can open. */
export interface ServedAgent {
  readonly agent: EditorAgent;
  /** The store of its sessions. */
  readonly store: Store;
  /** The absolute directory of sessions that have none of their own, such as those of a terminal. */
  readonly directory: string;
  /** Models that a person can choose for a session, beside the agent's. Needs `forSession`. Default: none. */
  readonly models?: readonly string[];
  /** Reads files as the editor shows them, with changes that are not saved, if it can. Default: false. */
  readonly unsavedFiles?: boolean;
  /**
   * Makes an agent for one session. The session closes it. Default: sessions have neither another model nor MCP
   * servers of the editor.
   */
  readonly forSession?: (own: SessionParts) => Promise<OwnAgent>;
  /** Reads the config again; from then on another agent is served. Default: there is no command `/reload`. */
  readonly reload?: () => Promise<void>;
}

/** The parts that a session has of its own. */
export interface SessionParts {
  /** The name of another model. */
  readonly model?: string;
  /** The editor's MCP servers, by name. */
  readonly mcpServers: Readonly<Record<string, EditorMcpServer>>;
}

/** An MCP server of an editor: a program, or a URL. */
export type EditorMcpServer =
  | {
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly cwd: string;
    }
  | { readonly url: string; readonly headers: Readonly<Record<string, string>> };

/** The agent of one session. */
export interface OwnAgent {
  readonly agent: EditorAgent;
  /** The errors of MCP servers that do not start. The session continues without them. */
  readonly problems: readonly unknown[];
}
