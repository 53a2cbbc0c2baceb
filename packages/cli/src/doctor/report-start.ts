import type { ConfigEditor } from '@shallot/core/command';

import type { PluginToAdd } from '../project/plugin-to-add.ts';
import { proposedEntry, type WrittenEntry } from '../project/proposed-entry.ts';
import { describeConfig } from '../project/schema-file.ts';
import type { Asking } from '../project/versions-of.ts';
import { calledAs } from '../terminal/called-as.ts';
import { exitStatus } from '../terminal/exit-status.ts';
import { shortPath } from '../terminal/place.ts';
import { visibleLine } from '../terminal/visible.ts';
import { renderFinding } from './render-checkup.ts';
import { startOnce } from './start-once.ts';

/** A plugin, with its entry in the config: already written, or for a person to write. */
export interface Added {
  readonly plugin: PluginToAdd;
  readonly written: WrittenEntry;
}

interface Reporting {
  /** False for a config that a person must edit. */
  readonly canEdit: boolean;
  readonly editor: ConfigEditor;
  readonly asking: Asking;
}

/**
 * Starts the agent once after an addition, and notes required options if it does not start. For a config that a person must
 * edit, only shows the lines to write. Returns the exit status.
 */
export async function reportStart(added: readonly Added[], reporting: Reporting): Promise<number> {
  const { canEdit, asking } = reporting;
  if (!canEdit && added.length > 0) return showLines(added, reporting);
  noteProposals(added, reporting);
  const status = await tryStart(asking, 'The agent does not start yet; what was added stays.');
  if (status !== exitStatus.completed) await noteRequired(added, reporting);
  return status;
}

/** Starts the agent once after a change. If it does not start, prints `failed` and the errors. Returns the exit status. */
export async function tryStart(asking: Asking, failed: string): Promise<number> {
  const { screen } = asking;
  const { errors, keys } = await startOnce(asking);
  for (const finding of keys) screen.note(renderFinding({ ...finding, level: 'warning' }, screen));
  if (errors.length === 0) {
    await screen.line(`The agent starts${keys.length > 0 ? ', with the offline model for now' : ''}.`);
    return exitStatus.completed;
  }
  const list = errors.map((finding) => renderFinding(finding, screen)).join('\n');
  screen.note(`${failed} Fix this, then run: ${calledAs(screen.io.env)} doctor\n${list}`);
  return exitStatus.usage;
}

/** Shows the lines for a config that cannot be edited in place. */
async function showLines(added: readonly Added[], { asking, editor }: Reporting): Promise<number> {
  const { project, screen } = asking;
  const lines = added.map(({ written }) => `  ${visibleLine(editor.codeEntry(written))},`);
  await screen.line(
    `Add to "plugins" in ${shortPath(project.config, screen.io.cwd)}, which cannot be edited in place:\n${lines.join('\n')}`,
  );
  return exitStatus.usage;
}

/** Shows entries that plugins of others propose and that were not written. */
function noteProposals(added: readonly Added[], { asking, editor }: Reporting): void {
  for (const { plugin, written } of added) {
    const proposed = proposedEntry(plugin);
    if (typeof proposed === 'string' || typeof written !== 'string') continue;
    asking.screen.note(
      `${plugin.use} proposes an entry, which was not written: nobody was asked about it. Read it, and write it, or use --trust ${plugin.use}:\n  - ${visibleLine(editor.flowEntry(proposed))}`,
    );
  }
}

/** Notes required options of plugins that were added with their names alone. */
async function noteRequired(added: readonly Added[], { asking }: Reporting): Promise<void> {
  const { project, screen } = asking;
  const { plugins: known } = await describeConfig({ config: project.config }, screen);
  for (const { plugin, written } of added) {
    const { packageName, use, entry } = plugin;
    const required = known.find(({ names }) => names.includes(packageName))?.options?.['required'];
    if (typeof written !== 'string' || entry !== undefined) continue;
    if (!Array.isArray(required) || required.length === 0) continue;
    const lines = required.map((option) => `      ${String(option)}: …`).join('\n');
    screen.note(`Write its options into the entry of ${use}:\n  - use: ${use}\n    options:\n${lines}`);
  }
}
