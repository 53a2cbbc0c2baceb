import type { Wait } from '../base/wait.ts';
import type { Run } from '../contract/hooks.ts';
import type { Input, MessageInput } from '../contract/messages.ts';
import type { StateEntry } from '../contract/store.ts';
import type { Owner } from '../hooks/owner.ts';
import type { LiveSession } from '../sessions/live/live-session.ts';
import type { TreeState } from './child-terms.ts';
import { BackgroundChildren } from './children/background-children.ts';
import { ring, type Bell } from './parts/bell.ts';
import type { HeldView } from './parts/held-view.ts';
import { Lifeline } from './parts/lifeline.ts';
import type { Resumption } from './parts/resumption.ts';
import { Signs } from './parts/signs.ts';
import type { Ending } from './parts/verdict.ts';
import type { WaitSource } from './parts/wait-reporter.ts';
import { PluginsInRun } from './plugins-in-run.ts';
import { RecordWriter } from './record-writer.ts';
import type { RunTerms } from './run-terms.ts';
import { childTools } from './tools/child-tools.ts';

/** The inputs of a run beside its terms: the session, the event listener, the plugin views and the stored record. */
export interface RunSetup {
  readonly session: LiveSession;
  readonly listener: Signs['listener'];
  readonly viewFor: (run: ActiveRun, owner: Owner, held: HeldView) => Run;
  /** The record of the run to resume; undefined for a new run. */
  readonly resumption: Resumption | undefined;
}

/** One run in progress. Each of its parts owns the state that it changes; methods here involve several parts. */
export class ActiveRun implements WaitSource, TreeState {
  readonly terms: RunTerms;
  readonly record: RecordWriter;
  readonly plugins: PluginsInRun;
  readonly signs: Signs;
  readonly life: Lifeline;
  readonly bell: Bell;
  /** The background children of the run; undefined until there is one. */
  background: BackgroundChildren | undefined;

  constructor(terms: RunTerms, { session, listener, viewFor, resumption }: RunSetup) {
    const { id, parts } = terms;
    this.terms = terms;
    this.plugins = new PluginsInRun(parts, (owner, held) => viewFor(this, owner, held), resumption?.record);
    this.record = new RecordWriter(terms, session, this.plugins, resumption);
    this.signs = new Signs(parts.log, { runId: id, sessionId: session.id }, listener);
    this.life = new Lifeline(parts.hookTimes, session, this.signs);
    // Something may have been sent while no process was at work.
    this.bell = { isRung: resumption !== undefined, attendant: undefined };
  }

  /** The run at the root of the tree. */
  get root(): TreeState {
    return this.terms.parent?.root ?? this;
  }

  get newBackground(): BackgroundChildren {
    return (this.background ??= new BackgroundChildren(this, (agent, offered) =>
      childTools(this, agent, offered),
    ));
  }

  /** Makes the run look at what was sent to it. */
  ring(): void {
    ring(this.bell);
  }

  /** Hands the run over to another worker: after the current step, or at once. */
  handBack(isAtOnce: boolean): void {
    this.life.handBack();
    this.record.handBack();
    if (isAtOnce) this.life.abort(new Error('its worker is stopping'));
  }

  /** Ends the run. The first call wins, and takes precedence over `again`. */
  end(answer: string | MessageInput | undefined, reason: Ending['reason'], plugin: string): void {
    const { life, record } = this;
    life.throwIfOver(plugin, 'end');
    const own = typeof answer === 'object' ? record.toMessages(answer, plugin)[0] : answer;
    record.verdict.end(own, reason, plugin, record.newMessageId);
  }

  again(messages: Input | undefined, plugin: string): void {
    const { life, record } = this;
    life.throwIfOver(plugin, 'again');
    record.verdict.again(messages === undefined ? [] : record.toMessages(messages, plugin));
  }

  stateEntry(plugin: string, key: string, scope: 'session' | 'run'): StateEntry | undefined {
    const { plugins, record } = this;
    return scope === 'run' ? plugins.state(plugin, key) : record.session.stateEntry(plugin, key);
  }

  setState(plugin: string, key: string, scope: 'session' | 'run', entry: StateEntry): void {
    const { life, plugins, record } = this;
    life.throwIfOver(plugin, `set the state "${key}"`);
    if (scope === 'session') record.session.setState(plugin, key, entry);
    else plugins.setState(plugin, key, entry);
  }

  /** Returns what the run is waiting for and whose code it is. A pending store operation hides everything else. */
  findWaits(): readonly Wait[] {
    const { storeWait } = this.record.session;
    return storeWait === undefined ? this.signs.stretches.find(this.life) : [storeWait];
  }

  notice(message: string, plugin: string | undefined): void {
    this.signs.notice(message, plugin);
  }
}
