import type { Run } from '../contract/hooks.ts';
import type { Owner } from '../hooks/owner.ts';
import type { LiveSession } from '../sessions/live/live-session.ts';
import type { ChildRuns } from './child-terms.ts';
import { BackgroundChildren } from './children/background-children.ts';
import { knownParts } from './children/known-parts.ts';
import type { HeldView } from './parts/held-view.ts';
import { Lifeline } from './parts/lifeline.ts';
import type { Resumption } from './parts/resumption.ts';
import { Signs } from './parts/signs.ts';
import { PluginsInRun } from './plugins-in-run.ts';
import { RecordWriter } from './record-writer.ts';
import type { RunParts } from './run-parts.ts';
import type { RunTerms } from './run-terms.ts';
import { childTools } from './tools/child-tools.ts';

/** The inputs of a run beside its terms: the session, the event listener, the plugin views and the stored record. */
export interface RunSetup {
  readonly session: LiveSession;
  readonly listener: Signs['listener'];
  readonly viewFor: (run: ActiveRun, owner: Owner, held: HeldView) => Run;
  /** The record of the run to resume; undefined for a new run. */
  readonly resumption: Resumption | undefined;
  /** Executes the children of the run. */
  readonly runs: ChildRuns;
}

/** One run in progress: its parts, each of which owns the state that it changes. */
export class ActiveRun implements RunParts {
  readonly terms: RunTerms;
  readonly record: RecordWriter;
  readonly plugins: PluginsInRun;
  readonly signs: Signs;
  readonly life: Lifeline;
  readonly #runs: ChildRuns;
  /** Created on first access: most runs begin no children. */
  #children: BackgroundChildren | undefined;

  constructor(terms: RunTerms, { session, listener, viewFor, resumption, runs }: RunSetup) {
    const { id, parts } = terms;
    this.terms = terms;
    this.#runs = runs;
    this.signs = new Signs(parts.log, { runId: id, sessionId: session.id }, listener);
    this.life = new Lifeline(parts.hookTimes, session, this.signs);
    const makeView = (owner: Owner, held: HeldView): Run => viewFor(this, owner, held);
    this.plugins = new PluginsInRun(terms, { session, life: this.life, makeView }, resumption?.record);
    this.record = new RecordWriter(terms, session, this.plugins, resumption);
    // Something may have been sent while no process was executing the run.
    if (resumption !== undefined) this.life.ring();
  }

  get children(): BackgroundChildren {
    const { terms, plugins } = this;
    this.#children ??= new BackgroundChildren(
      this,
      this.#runs,
      knownParts(terms, (agent, offered) => childTools(terms, plugins, agent, offered)),
    );
    return this.#children;
  }
}
