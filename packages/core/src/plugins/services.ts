import { isShallotError, ShallotError } from '../base/errors.ts';
import { messageOf } from '../base/thrown.ts';
import { isCallMatcher } from '../contract/permissions/call-matcher-key.ts';
import type { CallMatcher } from '../contract/permissions/call-matcher.ts';
import type { ServiceKey } from '../contract/plugin.ts';
import type { RunInfo } from '../contract/run-info.ts';
import { isApprovals } from '../contract/services/approvals.ts';
import { isPluginStatus } from '../contract/services/plugin-status.ts';
import { isRedaction, type RedactionService } from '../contract/services/redaction.ts';
import { isShortening } from '../contract/services/shortening.ts';
import { isSkillTexts } from '../contract/services/skill-texts.ts';
import { isTimeLimit } from '../contract/services/time-limit.ts';
import { isToolServers } from '../contract/services/tool-servers.ts';
import { isUserCommands, type RunToCome, type UserCommand } from '../contract/services/user-command.ts';
import type { ServerTool } from '../contract/tool.ts';

/** A service, with the plugin that it belongs to. */
interface Provided {
  readonly service: unknown;
  readonly plugin: string;
  /** True for a plugin whose taps surround only child runs. */
  readonly onlyChildren: boolean;
}

/** The services of an agent's plugins, by key name. */
export class Services {
  #redactions: readonly RedactionService[] = [];
  readonly #provided = new Map<string, Provided>();

  /** Provides a service. Returns a function that withdraws it. @throws `SERVICE_DUPLICATE` */
  provide(name: string, service: unknown, plugin: string, onlyChildren = false): () => void {
    const other = this.#provided.get(name);
    if (other !== undefined) {
      throw new ShallotError('SERVICE_DUPLICATE', {
        message: `${plugin} and ${other.plugin} both provide the service "${name}". Remove one of them.`,
        plugin,
      });
    }
    this.#provided.set(name, { service, plugin, onlyChildren });
    this.#noteRedactions();
    return () => {
      this.#provided.delete(name);
      this.#noteRedactions();
    };
  }

  get<T>({ name }: ServiceKey<T>): T | undefined {
    // The type of the key is the type of the service provided under its name.
    return this.#provided.get(name)?.service as T | undefined;
  }

  /** Returns the key names of the services that a plugin provides. */
  providedBy(plugin: string): readonly string[] {
    return [...this.#provided].flatMap(([name, provided]) => (provided.plugin === plugin ? [name] : []));
  }

  /** Returns the commands that users can call by name, as all plugins list them for this run. */
  async userCommands(run: RunToCome): Promise<readonly UserCommand[]> {
    const lists: Promise<readonly UserCommand[]>[] = [];
    for (const [name, { service }] of this.#provided) {
      if (isUserCommands(name, service)) lists.push((async () => service.list(run))());
    }
    return (await Promise.all(lists)).flat();
  }

  /** Returns the plugins that ask for approval of a tool's calls, without those that are for child runs alone. */
  askedBy(tool: string): readonly string[] {
    const asking: string[] = [];
    for (const [name, { service, plugin, onlyChildren }] of this.#provided) {
      if (!onlyChildren && isApprovals(name, service) && service.asksAbout(tool)) asking.push(plugin);
    }
    return asking;
  }

  /** Returns the text of a skill; undefined if no plugin has it for this run. */
  async skillText(run: RunInfo, skill: string): Promise<string | undefined> {
    for (const [name, { service }] of this.#provided) {
      const text = isSkillTexts(name, service) ? await service.read(run, skill) : undefined;
      if (text !== undefined) return text;
    }
    return undefined;
  }

  /** The matchers that plugins provide for the calls of their tools. */
  get matchers(): readonly CallMatcher[] {
    const found: CallMatcher[] = [];
    for (const [name, { service }] of this.#provided) if (isCallMatcher(name, service)) found.push(service);
    return found;
  }

  /** Waits for the background work that plugins do after the start. Returns the failures. */
  async settled(): Promise<readonly ShallotError[]> {
    const failures: ShallotError[] = [];
    for (const [name, { service, plugin }] of this.#provided) {
      if (!isPluginStatus(name, service)) continue;
      try {
        await service.settled?.();
      } catch (error) {
        const own = isShallotError(error) ? error : undefined;
        failures.push(
          new ShallotError(own?.code ?? 'PLUGIN_START_FAILED', {
            message: messageOf(error),
            plugin,
            at: own?.at,
            cause: error,
          }),
        );
      }
    }
    return failures;
  }

  /** Returns the milliseconds left to a run by its strictest time limit. */
  timeLeft(run: RunInfo): number {
    let left = Infinity;
    for (const [name, { service, onlyChildren }] of this.#provided) {
      if (isTimeLimit(name, service) && isFor(run, onlyChildren)) left = Math.min(left, service.left(run));
    }
    return left;
  }

  /** Returns true if a plugin will shorten a request that a model refuses. */
  shortens(run: RunInfo): boolean {
    for (const [name, { service, onlyChildren }] of this.#provided) {
      if (isShortening(name, service) && isFor(run, onlyChildren) && service.shortens(run)) return true;
    }
    return false;
  }

  /** Returns the server that executes a tool, and the tool's name there; undefined for a tool of no server. */
  serverOf(tool: string): ServerTool | undefined {
    for (const [name, { service }] of this.#provided) {
      const found = isToolServers(name, service) ? service.serverOf(tool) : undefined;
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** The redaction services that plugins provide. */
  get redactions(): readonly RedactionService[] {
    return this.#redactions;
  }

  /** Returns the redaction services of all plugins but one. */
  redactionsBut(plugin: string): readonly RedactionService[] {
    if (this.#redactions.length === 0) return this.#redactions;
    return this.#redactionsOf((each) => each !== plugin);
  }

  #noteRedactions(): void {
    this.#redactions = this.#redactionsOf(() => true);
  }

  #redactionsOf(fits: (plugin: string) => boolean): readonly RedactionService[] {
    const found: RedactionService[] = [];
    for (const [name, { service, plugin }] of this.#provided) {
      if (isRedaction(name, service) && fits(plugin)) found.push(service);
    }
    return found;
  }
}

/** Returns false if the plugin surrounds only child runs, and this run is not a child. */
function isFor({ parent }: RunInfo, onlyChildren: boolean): boolean {
  return !onlyChildren || parent !== undefined;
}
