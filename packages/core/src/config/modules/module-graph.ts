import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

import { isTypeScript } from '../packages/names.ts';

/** A local file that was imported, or is about to be: TypeScript or JavaScript. */
export class LocalModule {
  readonly file: string;
  readonly #href: string;
  #version = 0;
  #content: Buffer;
  /** The local files that it imports, as far as they were resolved. */
  readonly imports: Set<LocalModule> = new Set();
  /** Whether it may have run. */
  hasBegun = false;
  /** Whether esbuild has to compile it, because Node refused to link it. */
  isCompiled = false;

  constructor(file: string) {
    this.file = file;
    this.#href = pathToFileURL(file).href;
    this.#content = readFileSync(file);
  }

  /** The plain URL, which others that import the file share; after each change another one. */
  get url(): string {
    return this.#version === 0 ? this.#href : `${this.#href}?shallot=${this.#version}`;
  }

  /** What it is made of from now on. */
  read(): Buffer {
    this.#content = readFileSync(this.file);
    return this.#content;
  }

  /** Whether the file is not what it was when it was last read, or gone. */
  hasChanged(): boolean {
    return !existsSync(this.file) || !readFileSync(this.file).equals(this.#content);
  }

  /** Makes the next import of the file load it anew, as a module that has not run. */
  renew(): void {
    if (this.hasChanged()) this.isCompiled = false;
    this.#version += 1;
    this.imports.clear();
    this.hasBegun = false;
    // CommonJS is kept by file, whatever the query.
    if (!isTypeScript(this.file)) Reflect.deleteProperty(createRequire(this.#href).cache, this.file);
  }
}

/** The local files that were imported in this process, and which of them import which. */
export class ModuleGraph {
  readonly #modules = new Map<string, LocalModule>();

  /** The module of a real path. */
  at(file: string): LocalModule {
    const known = this.#modules.get(file);
    if (known !== undefined) return known;
    const made = new LocalModule(file);
    this.#modules.set(file, made);
    return made;
  }

  has(file: string): boolean {
    return this.#modules.has(file);
  }

  /** What a module imports at a later time runs whenever it likes, so it counts as begun from the start. */
  link(importer: LocalModule, imported: LocalModule): void {
    importer.imports.add(imported);
    if (importer.hasBegun) this.begin(imported);
  }

  /** Notes that a module is about to run, and with it all that it imports. */
  begin(module: LocalModule): void {
    for (const each of this.waiting(module)) each.hasBegun = true;
  }

  /** A module and those that it imports, as far as none of them has run. */
  waiting(module: LocalModule): ReadonlySet<LocalModule> {
    return reachable(module, (each) => !each.hasBegun);
  }

  /** Lets a module, and those that it imports, be imported anew where a file has changed, or imports one that has. */
  refresh(module: LocalModule): void {
    const changed = [...reachable(module, () => true)].filter((each) => each.hasChanged());
    this.renew(changed);
  }

  /** Renews modules, and all that import them. */
  renew(changed: Iterable<LocalModule>): void {
    const stale = new Set(changed);
    for (const one of stale) {
      for (const each of this.#modules.values()) if (each.imports.has(one)) stale.add(each);
    }
    for (const each of stale) each.renew();
  }
}

function reachable(start: LocalModule, wanted: (module: LocalModule) => boolean): ReadonlySet<LocalModule> {
  const reached = new Set(wanted(start) ? [start] : []);
  for (const each of reached) {
    for (const imported of each.imports) if (wanted(imported)) reached.add(imported);
  }
  return reached;
}
