import { ShallotError, type RunInfo } from '@shallot/core';
import { permissionModes, rootOf, type PermissionMode, type PluginState } from '@shallot/core/plugin';

/** The permissions that a session keeps in its state. */
export type KeptInSession = Readonly<Record<'rules', readonly string[]>> & { readonly mode?: PermissionMode };

export const nothingKept: KeptInSession = Object.freeze({ rules: [] });

/** The modes of sessions, and the rules that answers keep for them. Those of a root also hold for its children. */
export class SessionPermissions {
  readonly #state: PluginState<KeptInSession>;
  readonly #default: PermissionMode;
  readonly #widest: PermissionMode;
  /** Modes that a person has chosen between the runs of sessions. */
  readonly #chosen = new Map<string, PermissionMode>();

  constructor(
    state: PluginState<KeptInSession>,
    { mode, widest }: { readonly mode: PermissionMode; readonly widest: PermissionMode },
  ) {
    this.#state = state;
    this.#widest = widest;
    this.#default = this.#bounded(mode);
  }

  /** Chooses the mode of a session, from its next tool call on. @throws `hitl/MODE_TOO_WIDE` */
  choose(sessionId: string, mode: PermissionMode): void {
    if (this.#bounded(mode) !== mode)
      throw new ShallotError('hitl/MODE_TOO_WIDE', {
        message: `The mode "${mode}" is wider than "${this.#widest}", the widest that maxMode of the permissions allows. Choose a narrower one, or change maxMode.`,
      });
    this.#chosen.set(sessionId, mode);
  }

  /** Stores the mode that a person chose for the session of a run, or for its root. */
  settle(run: RunInfo): void {
    const { sessionId } = rootOf(run);
    const mode = this.#chosen.get(sessionId);
    if (mode === undefined) return;
    this.#state.update(run, (kept) => ({ ...kept, mode }));
    this.#chosen.delete(sessionId);
  }

  /** Returns the mode of a session: the one that is chosen, else the one that it keeps. */
  modeOf(sessionId: string, kept: KeptInSession | undefined): PermissionMode {
    const mode = this.#chosen.get(sessionId) ?? kept?.mode;
    return mode === undefined ? this.#default : this.#bounded(mode);
  }

  modeIn(run: RunInfo | undefined): PermissionMode {
    return run === undefined ? this.#default : this.modeOf(rootOf(run).sessionId, this.#state.get(run));
  }

  rulesIn(run: RunInfo | undefined): readonly string[] {
    return run === undefined ? [] : this.#state.get(run).rules;
  }

  /** Keeps a rule that allows calls for the session of a run. */
  keep(run: RunInfo, rule: string): void {
    this.#state.update(run, (kept) =>
      kept.rules.includes(rule) ? kept : { ...kept, rules: [...kept.rules, rule] },
    );
  }

  #bounded(mode: PermissionMode): PermissionMode {
    return narrowest(mode, this.#widest);
  }
}

/** Returns the narrowest of the modes; without any, the widest mode. */
export function narrowest(...modes: readonly (PermissionMode | undefined)[]): PermissionMode {
  return (
    permissionModes.find((mode) => modes.includes(mode)) ??
    permissionModes[permissionModes.length - 1] ??
    'ask'
  );
}
