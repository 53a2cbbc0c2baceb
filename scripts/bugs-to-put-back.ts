/** A bug, as changes to a source file. Each `from` must occur exactly once in the file. */
export interface BugToPutBack {
  readonly name: string;
  /** The file, by its path in `packages/core/src`. */
  readonly file: string;
  readonly changes: readonly { readonly from: string; readonly to: string }[];
}

/** Bugs that the oracle must find: some once existed, the others could easily be made. */
export const bugsToPutBack: readonly BugToPutBack[] = [
  bug(
    'end-forgotten-by-a-resume',
    'run/record-writer.ts',
    "if (verdict.ending !== undefined && position.at !== 'end') record.ending = verdict.ending;",
  ),
  bug(
    'messages-of-beforeModel-doubled-by-a-resume',
    'run/model/model-turn.ts',
    "progress.moveTo({ at: 'wrapModelCall', value: storeRequest(run.plugins, run.record, kept()) });",
  ),
  {
    name: 'answer-lost-when-afterModel-begins-with-once',
    file: 'run/model/model-turn.ts',
    changes: [
      {
        from: 'run.record.progress.moveTo(() => this.#locateAnswer(complete, answered, {}, run.record.verdict.more));',
        to: '',
      },
      { from: '        follows: true,\n        save,\n', to: '        save,\n' },
    ],
  },
  bug(
    'once-made-by-a-process-that-is-not-the-holder',
    'run/once.ts',
    'while (!run.record.session.isHeld) await regainClaim(run);',
    'if (!run.record.session.isHeld) void regainClaim(run).catch(() => undefined);',
  ),
  {
    name: 'tool-executed-by-a-process-that-is-not-the-holder',
    file: 'run/tools/execute-tool.ts',
    changes: [
      { from: '  while (!run.record.session.isHeld) await regainClaim(run, frame);\n  //', to: '  //' },
      { from: '      while (!run.record.session.isHeld) await regainClaim(run, frame);\n    }', to: '    }' },
    ],
  },
  bug(
    'again-doubled-by-a-question-of-its-tap',
    'run/model/model-turn.ts',
    'this.#locateAnswer(value, answered, standing, more)',
    'this.#locateAnswer(value, answered, standing, run.record.verdict.more)',
  ),
  bug('write-not-journalled', 'run/tools/execute-tool.ts', "approved.tool.effect === 'write' || ", ''),
  bug(
    'result-not-kept-while-layers-are-at-work',
    'run/tools/execute-tool.ts',
    'session.commitSoon({ journal: journalEntry(execution.id.key, rawEntry(toolCall, execution, result)) });',
  ),
  bug(
    'results-not-kept-while-other-calls-wait',
    'run/tools/tool-turn.ts',
    'session.commitSoon({ journal });',
  ),
  bug(
    'results-in-the-wrong-order',
    'run/tools/tool-turn.ts',
    'return results;',
    'return results.toReversed();',
  ),
  bug('last-end-wins', 'run/parts/verdict.ts', 'if (this.#ending !== undefined) return;'),
  bug(
    'once-made-again',
    'run/once.ts',
    "if (known?.type === 'once') return unsealed(run.plugins, known.value) as T;",
  ),
  bug(
    'input-of-beforeAgent-doubled-by-a-resume',
    'run/loop.ts',
    "locate: (standing) => ({ at: 'input', input, ...standing }),",
    "locate: (standing) => ({ at: 'input', input: progress.input, ...standing }),",
  ),
  bug(
    'tap-of-an-aborted-run-acts-in-afterAgent',
    'run/hook-caller.ts',
    'run.plugins.abandon(tap.owner, error);',
  ),
  bug(
    'once-of-afterAgent-rejected-by-an-abort',
    'run/parts/lifeline.ts',
    'if (this.#isDecided) this.#session.hurry(error);\n    else this.#session.letGo(error);',
    'this.#session.letGo(error);',
  ),
  bug(
    'beforeModel-begins-anew-after-a-question',
    'run/model/model-turn.ts',
    'firstTap(beforeModel.taps, waiting ?? {})',
    '0',
  ),
  bug(
    'revisions-not-compared',
    'sessions/stores/commit-checks.ts',
    'if (expected === found) return;',
    'if (expected >= 0) return;',
  ),
  {
    name: 'executed-again-when-layers-are-entered-again',
    file: 'run/tools/tool-call.ts',
    changes: [
      {
        from: 'if (journalled.held !== true) return this.#revive(journalled, request.asked.name);',
        to: '',
      },
      { from: 'return this.#perform(request, journalled);', to: 'return this.#perform(request);' },
    ],
  },
  bug(
    'replaced-messages-forgotten',
    'run/model/model-turn.ts',
    'if (change !== undefined) run.record.session.hold(change);',
  ),
  bug(
    'failed-result-returned-directly',
    'run/tools/tool-turn.ts',
    'this.#finished[index]?.message.isError !== true && ',
  ),
  bug('calls-left-open-by-again', 'run/plan-turn.ts', "refuse('another step was requested');"),
  bug('usage-forgotten-by-a-resume', 'run/parts/progress.ts', 'record?.usage ?? noUsage', 'noUsage'),
];

function bug(name: string, file: string, from: string, to = ''): BugToPutBack {
  return { name, file, changes: [{ from, to }] };
}

/** Returns the text of a file with the bug in it. @throws if the file does not have the text that the bug replaces */
export function withBug({ name, file, changes }: BugToPutBack, source: string): string {
  let text = source;
  for (const { from, to } of changes) {
    if (text.split(from).length !== 2) {
      throw new Error(
        `${name}: ${file} does not have exactly one «${from}». Write the bug for the source as it is now.`,
      );
    }
    text = text.replace(from, () => to);
  }
  return text;
}
