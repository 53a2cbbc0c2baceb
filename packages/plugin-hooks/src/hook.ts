import type { PermissionRule } from '@shallot/core/plugin';

import type { HookEvent } from './events.ts';

/** The fate of an event whose hook fails. */
export type OnFailure = 'pass' | 'stop' | 'ask';

/** A hook of the config. */
export interface Hook {
  readonly event: HookEvent;
  /** The name of the hook in layers, errors and stored values: the event, and the command or URL. */
  readonly label: string;
  /** The command line, or the URL. */
  readonly does:
    | { readonly command: string }
    | { readonly url: string; readonly headers: Readonly<Record<string, string>> };
  /** The calls that the hook is about, for events about a tool; undefined for all calls. */
  readonly rules: readonly PermissionRule[] | undefined;
  readonly timeoutMs: number;
  readonly onFailure: OnFailure;
  /** True if it reads the conversation from a file. */
  readonly transcript: boolean;
}
