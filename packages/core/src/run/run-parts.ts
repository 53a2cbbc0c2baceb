import type { Lifeline } from './parts/lifeline.ts';
import type { Signs } from './parts/signs.ts';
import type { PluginsInRun } from './plugins-in-run.ts';
import type { RecordWriter } from './record-writer.ts';
import type { RunTerms } from './run-terms.ts';

/** The parts of a run that its steps work with. Its children are not among them, since only tool calls begin children. */
export interface RunParts {
  readonly terms: RunTerms;
  readonly record: RecordWriter;
  readonly plugins: PluginsInRun;
  readonly signs: Signs;
  readonly life: Lifeline;
}
