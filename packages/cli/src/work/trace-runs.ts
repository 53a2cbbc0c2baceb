import { dirname, join, relative, resolve } from 'node:path';

import type { Agent } from '@shallot/core';
import type * as Telemetry from '@shallot/plugin-telemetry';

import { calledAs } from '../terminal/called-as.ts';
import type { Screen } from '../terminal/screen.ts';
import { shellWord } from '../terminal/shell-word.ts';
import { importPlugin } from './import-plugin.ts';

/** The tracing options of commands that run an agent. */
export interface TraceChoice {
  /** Writes a trace to this file; with true, to a file per run beside the config. */
  readonly trace?: string | true;
  /** Includes messages, arguments and results. */
  readonly traceContent?: boolean;
  readonly quiet?: boolean;
}

/**
 * Makes the agent write trace files if the options ask for them, whatever its config says. Returns a function that prints
 * their paths unless `quiet` is set, for after the agent is closed.
 */
export async function traceRuns(
  agent: Agent,
  { trace, traceContent = false, quiet = false }: TraceChoice,
  { config, screen }: { readonly config: string; readonly screen: Screen },
): Promise<() => void> {
  if (trace === undefined && !traceContent) return () => {};
  const { cwd, env } = screen.io;
  const file =
    typeof trace === 'string'
      ? resolve(cwd, trace)
      : join(dirname(config), '.shallot', 'traces', '{sessionId}-{runId}.jsonl');
  const paths = new Set<string>();
  const { telemetry } = await importPlugin<typeof Telemetry, 'telemetry'>({
    entry: '@shallot/plugin-telemetry',
    functions: ['telemetry'],
    command: 'The option --trace',
    directory: dirname(config),
  });
  const observing = telemetry({
    otel: false,
    log: false,
    insight: true,
    content: traceContent,
    trace: { file, content: traceContent, opened: (path) => paths.add(path) },
  });
  // A separate id, because the config may also list the plugin.
  await agent.use(observing, { id: 'command-trace' });
  return () => {
    for (const path of quiet ? [] : paths) {
      const inside = relative(cwd, path);
      const shown = shellWord(inside.startsWith('..') ? path : inside);
      screen.note(screen.paintNotes.dim(`traced: ${calledAs(env)} trace ${shown}`));
    }
  };
}
