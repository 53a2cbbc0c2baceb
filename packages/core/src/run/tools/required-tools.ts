import { ShallotError } from '../../base/errors.ts';
import { toolCallsOf, type AssistantMessage, type ToolCallPart } from '../../contract/messages.ts';
import { versioned } from '../../contract/plugin-names.ts';
import type { OfferedTool, RunRecord } from '../../contract/store.ts';
import { finalKey } from '../../sessions/journal-keys.ts';
import type { LiveSession } from '../../sessions/live-session.ts';
import type { AgentParts } from '../agent-parts.ts';

/** The tools that the open calls of a run need must be there, and no other in their place. @throws `TOOL_GONE` */
export function requireTools(parts: AgentParts, session: LiveSession, run: RunRecord): void {
  const { position } = run;
  if (position.at !== 'tools' && position.at !== 'afterModel') return;
  // What is stored as the value of `afterModel` is a response, and the last turn one of the model's.
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
    if (gone !== undefined) throw toolGone(call, gone, run);
  }
}

/** The names that a call has, or was given by layers and gates, until it is executed. */
function neededNames(session: LiveSession, run: RunRecord, call: ToolCallPart): ReadonlySet<string> {
  const execution = session.lastExecution(call.id);
  const isExecuted = execution?.type === 'raw' && execution.held !== true;
  if (isExecuted || session.journalled(finalKey(call.id)) !== undefined) return new Set();
  const asked = run.interrupts.flatMap((each) => (each.call?.id === call.id ? each.call.name : []));
  const begun = [execution?.asked, execution?.done].flatMap((each) => each?.name ?? []);
  return new Set([call.name, ...asked, ...begun]);
}

function toolGone(
  call: ToolCallPart,
  { name, plugin, registeredAs }: OfferedTool,
  run: RunRecord,
): ShallotError {
  const known = plugin === undefined ? undefined : run.plugins[plugin];
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
