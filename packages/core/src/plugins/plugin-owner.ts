import type { SourceLocation } from '../base/errors.ts';
import type { Owner } from '../hooks/owner.ts';
import type { Logger } from '../log/logger.ts';

/** The identity of a plugin; its logger is created on first access. */
export class PluginOwner implements Owner {
  readonly id: string;
  readonly slot: number;
  readonly name: string;
  readonly version: string | undefined;
  readonly at: SourceLocation | undefined;
  readonly #parent: Logger;
  #log: Logger | undefined;

  constructor(
    id: string,
    slot: number,
    { name, version }: Pick<Owner, 'name' | 'version'>,
    parent: Logger,
    at: SourceLocation | undefined,
  ) {
    this.id = id;
    this.at = at;
    this.slot = slot;
    this.name = name;
    this.version = version;
    this.#parent = parent;
  }

  get log(): Logger {
    this.#log ??= this.#parent.child({ plugin: this.id });
    return this.#log;
  }
}
