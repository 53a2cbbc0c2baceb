import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { parseJSONRPCMessage, SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import { getDefaultEnvironment } from '@modelcontextprotocol/client/stdio';
import type { Logger } from '@shallot/core';
import spawn from 'cross-spawn';

import type { ProgramSettings } from '../config/server-settings.ts';
import { endProcess, ownGroup } from './end-process.ts';
import { ErrorOutput } from './error-output.ts';
import { LineReader } from './line-reader.ts';
import { maxMessageBytes } from './max-message-bytes.ts';

/** The time that a program which reads no more has to end, in milliseconds. */
const endingMs = 1000;

/**
 * A transport over the stdin and stdout of a program. Unlike the one of the client library, it starts a single process
 * in its own group, and leaves none running.
 */
export class ProgramTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: Transport['onmessage'];
  /** Called when a message of the program was too large, and the program is ended. */
  onOverflow?: ((error: Error) => void) | undefined;
  /** The client library recognizes program transports by this member and `pid`. */
  readonly stderr = null;
  readonly #settings: ProgramSettings;
  readonly #lines = new LineReader(maxMessageBytes);
  readonly #output: ErrorOutput;
  readonly #log: Logger;
  #child: ChildProcess | undefined;
  #ending: Promise<void> | undefined;
  #hasNotedJunk = false;
  #isClosed = false;
  #isBroken = false;
  #exit: { readonly code: number | null; readonly signal: NodeJS.Signals | null } | undefined;

  constructor(settings: ProgramSettings, log: Logger) {
    this.#settings = settings;
    this.#log = log;
    this.#output = new ErrorOutput(log);
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  /**
   * The exit of the program, with the end of its stderr output; undefined while it runs, and if this transport ended it.
   */
  get ending(): string | undefined {
    const said = withoutFrames(this.#output.tail).trim();
    if (this.#exit === undefined) return undefined;
    const { code, signal } = this.#exit;
    const how = signal === null ? `with the exit code ${code}` : `by the signal ${signal}`;
    return `the program ended ${how}${said === '' ? ', and wrote nothing to stderr' : `; it wrote: ${said}`}`;
  }

  async start(): Promise<void> {
    const { command, args, env, cwd } = this.#settings;
    const child = spawn(command, args, {
      cwd,
      env: { ...getDefaultEnvironment(), ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
      ...ownGroup(),
    });
    this.#child = child;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    child.once('spawn', resolve);
    child.on('error', (error) => {
      reject(error);
      this.onerror?.(error);
    });
    child.once('exit', (code, signal) => this.#onExit(code, signal));
    child.stdin?.on('error', (error) => this.onerror?.(error));
    child.stdout?.on('error', (error) => this.onerror?.(error));
    child.stdout?.on('data', (piece: Buffer) => this.#read(piece));
    if (child.stderr !== null) this.#output.follow(child.stderr);
    await promise;
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (stdin === undefined || stdin === null || !stdin.writable)
      throw new SdkError(SdkErrorCode.NotConnected, 'the program has ended');
    const failed = await new Promise<Error | null | undefined>((resolve) => {
      stdin.write(`${JSON.stringify(message)}\n`, resolve);
    });
    if (!failed) return;
    await this.#untilEnded();
    throw failed;
  }

  /**
   * Waits for the end of a program that reads no more, because its exit and its last output explain more than the
   * failed write.
   */
  async #untilEnded(): Promise<void> {
    if (this.#child === undefined || this.#isClosed) return;
    const late = AbortSignal.timeout(endingMs);
    await once(this.#child, 'close', { signal: late }).catch((error: unknown) =>
      this.#log.debug({ err: error }, 'the server reads no more, and has not ended'),
    );
  }

  close(): Promise<void> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  async #end(): Promise<void> {
    if (this.#child !== undefined) await endProcess(this.#child);
    this.#closed();
  }

  #read(piece: Buffer): void {
    if (this.#isBroken) return;
    try {
      for (const line of this.#lines.push(piece)) this.#receive(line);
    } catch (error) {
      // Otherwise callers would wait forever for a response in the discarded buffer.
      this.#isBroken = true;
      this.#log.warn({ err: error }, 'the server sent a message that is too long, and is ended');
      this.onOverflow?.(new Error(`the answer is larger than ${maxMessageBytes} bytes`, { cause: error }));
      void this.close();
    }
  }

  #receive(line: string): void {
    let message: JSONRPCMessage;
    try {
      message = parseJSONRPCMessage(JSON.parse(line));
    } catch {
      // Some programs also print other lines to stdout.
      this.#noteJunk(line);
      return;
    }
    this.onmessage?.(message);
  }

  #noteJunk(line: string): void {
    if (this.#hasNotedJunk || line.trim() === '') return;
    this.#hasNotedJunk = true;
    this.#log.warn(
      { line: line.slice(0, 200) },
      'the server prints lines to stdout that are no messages; they are ignored',
    );
  }

  #onExit(code: number | null, signal: NodeJS.Signals | null): void {
    // Only an exit that this class did not cause is reported.
    if (this.#ending === undefined) this.#exit = { code, signal };
    this.#log.debug({ code, signal }, 'the server has ended');
    // Other processes of its group may still run.
    void this.close();
  }

  #closed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.onclose?.();
  }
}

/** Leaves out the frames of stacks, and what Node writes around them. */
function withoutFrames(text: string): string {
  return text
    .split('\n')
    .filter((line) => !/^(?: +at |node:internal\/|Node\.js v\d| +(?:throw .*;|\^)$)/.test(line))
    .join('\n');
}
