import { ShallotError } from '../base/errors.ts';
import type { ServiceKey } from '../contract/plugin.ts';
import { isApprovals } from '../contract/services/approvals.ts';
import { isUserCommands, type RunToCome, type UserCommand } from '../contract/services/user-command.ts';

/** What the plugins of one agent share, by the names of the keys. */
export class Services {
  readonly #provided = new Map<string, { readonly service: unknown; readonly plugin: string }>();

  /** Returns the undo. @throws `SERVICE_DUPLICATE` */
  provide(name: string, service: unknown, plugin: string): () => void {
    const other = this.#provided.get(name);
    if (other !== undefined) {
      throw new ShallotError('SERVICE_DUPLICATE', {
        message: `${plugin} and ${other.plugin} both provide the service "${name}". Remove one of them.`,
        plugin,
      });
    }
    this.#provided.set(name, { service, plugin });
    return () => this.#provided.delete(name);
  }

  get<T>({ name }: ServiceKey<T>): T | undefined {
    // A key carries the type of the service that was provided under its name.
    return this.#provided.get(name)?.service as T | undefined;
  }

  /** The names of the keys under which a plugin provides something. */
  providedBy(plugin: string): readonly string[] {
    return [...this.#provided].flatMap(([name, provided]) => (provided.plugin === plugin ? [name] : []));
  }

  /** What people can call by name in a run: what each plugin lists now. */
  async userCommands(run: RunToCome): Promise<readonly UserCommand[]> {
    const lists: Promise<readonly UserCommand[]>[] = [];
    for (const [name, { service }] of this.#provided) {
      if (isUserCommands(name, service)) lists.push((async () => service.list(run))());
    }
    return (await Promise.all(lists)).flat();
  }

  /** The plugins that ask a person about calls of a tool. */
  askedBy(tool: string): readonly string[] {
    const asking: string[] = [];
    for (const [name, { service, plugin }] of this.#provided) {
      if (isApprovals(name, service) && service.asksAbout(tool)) asking.push(plugin);
    }
    return asking;
  }
}
