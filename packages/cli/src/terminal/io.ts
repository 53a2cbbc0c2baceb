import type { Readable, Writable } from 'node:stream';

/** What the command reads, writes and goes by: this process's own, unless a program that embeds the command says else. */
export interface Io {
  readonly stdin: Readable & { readonly isTTY?: boolean; setRawMode?(raw: boolean): unknown };
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: Writable & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number };
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}
