import type { Readable, Writable } from 'node:stream';

/** The streams and settings of the command: those of this process, unless an embedding program sets others. */
export interface Io {
  readonly stdin: Readable & { readonly isTTY?: boolean; setRawMode?(raw: boolean): unknown };
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: Writable & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number };
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}
