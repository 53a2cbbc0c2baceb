import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';

import { defineTool, type JsonValue, type Tool, type ToolContext, type ToolResult } from '@shallot/core';
import { cutResult, isApproved, messageOf, textPart } from '@shallot/core/plugin';

import type { Settings } from './options.ts';
import { bubblewrap } from './running/bubblewrap.ts';
import { environment } from './running/environment.ts';
import type { ShownOutput } from './running/output.ts';
import type { CommandEnd } from './running/run-command.ts';

interface ShellArgs {
  readonly command: string;
  readonly timeout_ms?: number;
}

/** The settings of the tool, and the state that it shares with the plugin. */
export interface ShellParts {
  readonly settings: Settings;
  /** The variables of the agent. */
  readonly env: NodeJS.ProcessEnv;
  /** The directory to which the option `root` is relative. */
  readonly directory: string;
  /** The commands in progress: an aborted run does not wait for the end of its command. */
  readonly running: Set<Promise<unknown>>;
  /** Functions to call when no more commands will be run. */
  readonly releases: Set<() => void>;
}

/** The longest command, because Linux allows no longer argument. */
const maxCommandLength = 100_000;

/**
 * Returns the command that a call would execute; undefined if its arguments do not have the form that the tool takes.
 */
export function commandOf(input: JsonValue): string | undefined {
  const isObject = typeof input === 'object' && input !== null && 'command' in input;
  return isObject && typeof input.command === 'string' ? input.command : undefined;
}

/** Returns the tool that runs a command. */
export function shellTool({ settings, env, directory, running, releases }: ShellParts): Tool {
  const { toolName, timeoutMs, maxTimeoutMs } = settings;
  return defineTool({
    name: toolName,
    title: 'Run a command',
    kind: 'execute',
    effect: 'write',
    description:
      `Runs a command line by ${settings.program}, and returns what it prints and its exit status. ` +
      'It starts in the root directory, which tools for files call "/": write paths relative to it. ' +
      'Each call starts a new shell: directories and variables do not last. There is no input, and nothing ' +
      'can be left running: processes in the background are ended with the command.',
    input: {
      type: 'object',
      properties: {
        command: {
          type: 'string',
          minLength: 1,
          maxLength: maxCommandLength,
          description: 'The command line.',
        },
        timeout_ms: {
          type: 'integer',
          minimum: 1,
          maximum: maxTimeoutMs,
          description: `Time limit in milliseconds. Default: ${Math.min(timeoutMs, maxTimeoutMs)}.`,
        },
      },
      required: ['command'],
      additionalProperties: false,
    },
    async execute(input, context) {
      // The schema allows no other arguments.
      const args = input as unknown as ShellArgs;
      const root = rootOf(settings, directory, context);
      if (root === undefined)
        return failed('The files of this run are in no directory of this machine, so no command can be run.');
      const executed = execute(args, root, {
        settings,
        env: environment(settings, env, !isApproved(context.call)),
        context,
        releases,
      });
      running.add(executed);
      return executed.finally(() => running.delete(executed));
    },
  });
}

function rootOf({ root }: Settings, directory: string, { files }: ToolContext): string | undefined {
  return root === undefined ? files.root : resolve(directory, root);
}

interface Execution extends Pick<ShellParts, 'settings' | 'env' | 'releases'> {
  readonly context: ToolContext;
}

async function execute(
  { command, timeout_ms }: ShellArgs,
  cwd: string,
  { settings, env, context, releases }: Execution,
): Promise<ToolResult> {
  const { timeoutMs, maxTimeoutMs, killAfterMs, maxOutputBytes, program } = settings;
  const limitMs = timeout_ms ?? Math.min(timeoutMs, maxTimeoutMs);
  // Imported lazily, because these modules are needed only once a command is run.
  const [{ Output }, { LiveOutput }, { runCommand }, { keepWatchdog }] = await Promise.all([
    import('./running/output.ts'),
    import('./running/live-output.ts'),
    import('./running/run-command.ts'),
    import('./running/end-group.ts'),
  ]);
  if (releases.size === 0) releases.add(keepWatchdog());
  const output = new Output(maxOutputBytes);
  const live = new LiveOutput((text) => void report(context, text));
  const onOutput = (piece: Buffer): void => {
    output.push(piece);
    live.push(piece);
  };
  // Both outputs go through one pipe, so that they stay in order.
  const shell = [program, '-c', `exec 2>&1; ${command}`];
  try {
    await mkdir(cwd, { recursive: true });
    const timeout = AbortSignal.timeout(limitMs);
    const end = await runCommand([...sandboxOf(settings, cwd), ...shell], {
      cwd,
      env,
      killAfterMs,
      signal: AbortSignal.any([context.signal, timeout]),
      onOutput,
    });
    context.signal.throwIfAborted();
    const timedOutMs = timeout.aborted ? limitMs : undefined;
    return show(end, { ...(await output.show()), bytes: output.bytes }, timedOutMs);
  } catch (error) {
    context.signal.throwIfAborted();
    return failed(`The command was not executed: ${messageOf(error)}.`);
  } finally {
    live.end();
  }
}

function sandboxOf({ sandbox, network }: Settings, root: string): readonly string[] {
  if (typeof sandbox === 'object') return sandbox.command;
  return sandbox ? bubblewrap(root, network) : [];
}

async function report({ progress, log }: ToolContext, text: string): Promise<void> {
  try {
    await progress({ output: text });
  } catch (error) {
    log.debug({ err: error }, 'output of a command could not be shown');
  }
}

function show(
  { exitCode, signal }: CommandEnd,
  { text, bytes, isCut, isBinary }: ShownOutput & { readonly bytes: number },
  timedOutMs: number | undefined,
): ToolResult {
  const timedOut = timedOutMs !== undefined;
  const note = timedOut
    ? `[The command was ended: it took longer than ${timedOutMs} ms.]`
    : signal === null
      ? `[Exit status ${exitCode}]`
      : `[Ended by ${signal}]`;
  const shown = text === '' ? '' : text.endsWith('\n') ? text : `${text}\n`;
  const result: ToolResult = {
    content: [textPart(shown + note)],
    data: { exitCode, signal, timedOut, bytes, isCut, isBinary },
    ...(exitCode === 0 && !timedOut ? {} : { isError: true }),
  };
  return isCut ? cutResult(result) : result;
}

function failed(text: string): ToolResult {
  return { content: [textPart(text)], isError: true };
}
