import { definePlugin, type JsonObject, type RunInfo, type ToolResult } from '@shallot/core';

const logFile = '/.shallot/audit.log';

/**
 * Keeps an audit log in `.shallot/audit.log`: a line of JSON for every tool call and for the end of every run. Each
 * line is also an event, which the command shows on stderr. The high priority puts the plugin outside most layers, so
 * it sees calls as the model made them, and the result of a run as the caller gets it.
 */
export default definePlugin({
  name: 'audit',
  priority: 70,

  async wrapToolCall(call, next, { run }) {
    const { name: tool, input } = call;
    try {
      const result = await next(call);
      await log(run, 'call', { tool, input, outcome: outcomeOf(result) });
      return result;
    } catch (error) {
      // Interrupted or aborted: the call is not over, or nobody waits for it any more.
      await log(run, 'call', { tool, input, outcome: 'not finished' });
      throw error;
    }
  },

  async afterAgent({ outcome, steps }, run) {
    await log(run, 'run', { outcome, steps });
  },
});

async function log(run: RunInfo, what: string, entry: JsonObject): Promise<void> {
  const line = { time: new Date().toISOString(), sessionId: run.sessionId, what, ...entry };
  await run.files.append(logFile, `${JSON.stringify(line)}\n`, { own: true });
  run.event(what, entry);
}

function outcomeOf({ denied, isError }: ToolResult): string {
  if (denied) return 'denied';
  return isError ? 'failed' : 'ok';
}
