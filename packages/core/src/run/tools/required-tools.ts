import { ShallotError } from '../../base/errors.ts';
import { toolCallsOf, type AssistantMessage, type ToolCallPart } from '../../contract/messages.ts';
import { versioned } from '../../contract/plugin-names.ts';
import type { ConfiguredPlugins, OfferedTool, RunRecord } from '../../contract/store.ts';
import { finalKey } from '../../sessions/content/journal-keys.ts';
import type { LiveSession } from '../../sessions/live/live-session.ts';
import type { AgentParts } from '../agent-parts.ts';

/** Checks that the tools of open calls are registered by the same plugin as before. @throws `TOOL_GONE` */
export function requireTools(parts: AgentParts, session: LiveSession, run: RunRecord): void {
  const { position } = run;
  // An ended run executes no more calls.
  if (run.ending !== undefined) return;
  if (position.at !== 'tools' && position.at !== 'afterModel') return;
  // At `afterModel` the position holds the response; at `tools` the last turn starts with the model's message.
  const message =
    position.at === 'tools'
      ? session.lastTurn()[0]
      : (position.value as unknown as { readonly message: AssistantMessage }).message;
  if (message === undefined) return;
  for (const call of toolCallsOf(message)) {
    const names = neededNames(session, run, call);
    const gone = position.offered.find(
      (offered) => names.has(offered.name) && parts.tools.findOffered(offered) === undefined,
    );
    if (gone !== undefined) throw toolGone(call, gone, session.plugins);
  }
}

/**
 * Returns all tool names that an open call may be executed under: its own, and those that layers and gates changed it
 * to.
 */
function neededNames(session: LiveSession, run: RunRecord, call: ToolCallPart): ReadonlySet<string> {
  const execution = session.lastExecution(call.id);
  const isExecuted = execution?.type === 'raw' && execution.held !== true;
  if (isExecuted || session.journalled(finalKey(call.id)) !== undefined) return new Set();
  const asked = run.interrupts.flatMap((each) =>
    each.under === undefined && each.call?.id === call.id ? each.call.name : [],
  );
  const begun = [execution?.asked, execution?.done].flatMap((each) => each?.name ?? []);
  return new Set([call.name, ...asked, ...begun]);
}

function toolGone(
  call: ToolCallPart,
  { name, plugin, registeredAs }: OfferedTool,
  plugins: ConfiguredPlugins,
): ShallotError {
  const known = plugin === undefined ? undefined : plugins[plugin];
  const as = registeredAs === undefined ? '' : ` (registered as "${registeredAs}")`;
  const whose =
    plugin === undefined
      ? "one of the agent's own"
      : `that of ${known === undefined ? plugin : versioned({ ...known, name: plugin })}`;
  const remedy =
    plugin === undefined
      ? 'Give the agent that tool again'
      : `Configure ${plugin} to register the tool; a tool that is only used in requests is registered with tools.add(tool, { offered: false })`;
  return new ShallotError('TOOL_GONE', {
    message: `The call ${call.id} needs the tool "${name}" that was offered, ${whose}${as}, but it is not registered; a tool of another origin cannot replace it. ${remedy}. Or abandon the run with abandon: true.`,
    ...(plugin === undefined ? {} : { plugin }),
  });
}
