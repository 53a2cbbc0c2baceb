import type { Background, TreeState } from './child-terms.ts';
import type { Bell } from './parts/bell.ts';
import type { Lifeline } from './parts/lifeline.ts';
import type { Signs } from './parts/signs.ts';
import type { PluginsInRun } from './plugins-in-run.ts';
import type { RecordWriter } from './record-writer.ts';
import type { RunTerms } from './run-terms.ts';

/** The parts of a run, for functions that need only some of them. */
export interface RunParts {
  readonly terms: RunTerms;
  readonly record: RecordWriter;
  readonly plugins: PluginsInRun;
  readonly signs: Signs;
  readonly life: Lifeline;
  readonly bell: Bell;
  /** The run at the root of the tree: this one, unless it is a child. */
  readonly root: TreeState;
  /** The background children of the run; undefined until there is one. */
  readonly background: Background | undefined;
  /** The same, made with the first access. */
  readonly newBackground: Background;
}
