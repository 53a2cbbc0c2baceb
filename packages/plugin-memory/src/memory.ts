import { definePlugin, type RunInfo } from '@shallot/core';
import { joinInstructions, pluginStatusKey, type Run } from '@shallot/core/plugin';

import manifest from '../package.json' with { type: 'json' };
import { isUnchanged, loadMemory, type LoadedMemory } from './load-memory.ts';
import { memoryPrompt } from './memory-prompt.ts';
import { memoryTool } from './memory-tool.ts';
import { areUsual, editableSources, memoryOptions } from './options.ts';
import type { CutFile } from './spend-budget.ts';

/** The memory files as a session holds them. */
interface Remembered extends LoadedMemory {
  /** The sources and the budget with which the files were loaded. With others, they are loaded again. */
  readonly sources: readonly string[];
  readonly maxBytes: number;
  /** True if the files must be reread before the next model call, regardless of `reload`. */
  readonly isStale: boolean;
}

/**
 * Sends memory files with every model call as part of the instructions, never as messages, because those age and are
 * summarized. Reads a file at the start of a run if it has changed since the session last read it.
 */
export const memory = definePlugin({
  name: 'memory',
  version: manifest.version,
  api: manifest.shallot.api,
  priority: 49,
  options: memoryOptions,
  setup({ id, options, files, hooks, tools, state, redactor, aroundRun, provide, onReady }) {
    const { sources, maxBytes, reload, writable, template } = options;
    const toolName = writable ? options.toolName : undefined;
    const remembered = state<Remembered | null>({ key: 'files', initial: () => null });

    let found: readonly string[] = [];
    provide(pluginStatusKey(id), {
      lines: () => (found.length === 0 ? [] : [`from ${found.join(', ')}`]),
    });
    onReady(async () => {
      const there = await Promise.all(
        sources.map((path) => files.stat(path, { own: true }).catch(() => undefined)),
      );
      found = sources.filter((_, index) => there[index] !== undefined);
    });

    // A resumed run executes calls before it loads anything, so the files are protected here.
    aroundRun((run, next) => {
      protectLoaded(run, Object.fromEntries(sources.map((path) => [path, ''])));
      protectLoaded(run, remembered.get(run)?.marks);
      return next();
    });

    hooks.beforeAgent.tapPromise('load', async (run) => {
      const known = remembered.get(run);
      if (known === null || !isCurrent(known) || !(await isFresh(run, known))) return load(run);
      tellCut(run, known);
    });

    // Loads after an edit, and if the plugin was added while the run was paused. Otherwise the files are loaded
    // already.
    hooks.beforeModel.tapPromise('load what was edited', async (_request, run) => {
      const known = remembered.get(run);
      if (known === null || known.isStale) await load(run);
    });

    hooks.wrapModelCall.tap('add memory', (request, next, { run }) => {
      const added = memoryPrompt(remembered.get(run)?.text ?? '', toolName, template);
      if (added === '') return next(request);
      return next({ ...request, instructions: joinInstructions(request.instructions, added) });
    });

    if (writable) {
      tools.add(memoryTool({ ...options, sources: editableSources(sources) }, redactor, markStale));
    }

    function markStale(run: RunInfo): void {
      remembered.update(run, (known) => known && { ...known, isStale: true });
    }

    function isCurrent(known: Remembered): boolean {
      return known.maxBytes === maxBytes && known.sources.join('\n') === sources.join('\n');
    }

    async function isFresh(run: Run, { isStale, marks }: Remembered): Promise<boolean> {
      if (isStale) return false;
      return reload === 'once' || isUnchanged(run.files, sources, marks);
    }

    async function load(run: Run): Promise<void> {
      const loaded = await loadMemory(run.files, sources, maxBytes);
      protectLoaded(run, loaded.marks);
      remembered.set(run, { ...loaded, sources, maxBytes, isStale: false });
      run.event('loaded', { files: loaded.files, bytes: Buffer.byteLength(loaded.text) });
      for (const skipped of loaded.skipped) run.event('import-skipped', skipped);
      if (loaded.files.length === 0 && !writable && !areUsual(sources)) {
        run.warn(
          'NOT_FOUND',
          `None of the memory files exists: ${sources.join(', ')}. Write one, or fix "sources".`,
        );
      }
      if (loaded.cut.length > 0) run.warn('CUT', cutWarning(loaded.cut, maxBytes));
      tellCut(run, loaded);
    }

    function tellCut(run: Run, { cut }: LoadedMemory): void {
      if (cut.length > 0) run.event('cut', { maxBytes, files: cut });
    }
  },
});

/**
 * Protects the files of the instructions from other tools, even before they exist. A missing import without a file
 * extension may be the name of a person, and is not protected.
 */
function protectLoaded({ files }: RunInfo, marks: LoadedMemory['marks'] = {}): void {
  for (const [path, mark] of Object.entries(marks))
    if (mark !== null || /\.\w+$/.test(path)) files.protect?.(path, 'state');
}

function cutWarning(cut: readonly CutFile[], maxBytes: number): string {
  const files = cut.map(({ path, bytes, sent }) => `${path} (${sent} of ${bytes} bytes)`);
  return `The memory files have more than ${maxBytes} bytes. These are sent in part or not at all: ${files.join(', ')}. Shorten them, or raise maxBytes.`;
}
