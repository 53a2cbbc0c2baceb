import { definePlugin } from '@shallot/core';

const logFile = '/.shallot/audit.log';

/**
 * Keeps an audit log: every tool call with its outcome becomes a line of JSON in `.shallot/audit.log`, and an event that
 * the command shows on stderr. With a high priority it stands outside of other layers and sees what the model asked for, not what they made
 * of it.
 */
export default definePlugin({
  name: 'audit',
  version: '1.0.0',
  api: '^1.0.0',
  priority: 70,
  setup({ hooks, files }) {
    hooks.wrapToolCall.tapPromise('log', async (call, next, { run }) => {
      const startedAt = Date.now();
      const record = async (outcome: string): Promise<void> => {
        const entry = {
          time: new Date(startedAt).toISOString(),
          session: run.session,
          step: run.step,
          tool: call.name,
          input: call.input,
          outcome,
          ms: Date.now() - startedAt,
        };
        await files.append(logFile, `${JSON.stringify(entry)}\n`);
        run.event('call', { tool: entry.tool, input: entry.input, outcome, ms: entry.ms });
      };
      try {
        const result = await next(call);
        await record(outcomeOf(result));
        return result;
      } catch (error) {
        // An interrupt or an abort: the call is not over, or nobody waits for it any more.
        await record('not finished');
        throw error;
      }
    });
  },
});

function outcomeOf({ denied, isError }: { readonly denied?: object; readonly isError?: boolean }): string {
  if (denied) return 'denied';
  return isError ? 'failed' : 'ok';
}
