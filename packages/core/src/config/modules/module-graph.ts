import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

import { protectFile } from '../../files/protection/loaded-files.ts';
import { isTypeScript } from '../packages/names.ts';

/** A local TypeScript or JavaScript file that was imported, or is being linked. */
export class LocalModule {
  readonly file: string;
  readonly #href: string;
  #version = 0;
  #content: Buffer;
  /** The local files that it imports, as far as they are resolved. */
  readonly imports: Set<LocalModule> = new Set();
  /** True if it may have run. */
  hasBegun = false;
  /** True if it must be compiled with esbuild, because Node could not link it. */
  isCompiled = false;

  constructor(file: string) {
    this.file = file;
    this.#href = pathToFileURL(file).href;
    this.#content = readFileSync(file);
  }

  /** The plain URL of the file, shared with other importers; a new one after each `renew`. */
  get url(): string {
    return this.#version === 0 ? this.#href : `${this.#href}?shallot=${this.#version}`;
  }

  /** Reads the current source of the file. */
  read(): Buffer {
    this.#content = readFileSync(this.file);
    return this.#content;
  }

  /** Returns true if the file has changed since it was last read, or was deleted. */
  hasChanged(): boolean {
    return !existsSync(this.file) || !readFileSync(this.file).equals(this.#content);
  }

  /** Makes the next import load the file again, as a new module. */
  renew(): void {
    if (this.hasChanged()) this.isCompiled = false;
    this.#version += 1;
    this.imports.clear();
    this.hasBegun = false;
    // Node caches CommonJS by file name, ignoring the query.
    if (!isTypeScript(this.file)) Reflect.deleteProperty(createRequire(this.#href).cache, this.file);
  }
}

/** The local files imported in this process, and their imports. */
export class ModuleGraph {
  readonly #modules = new Map<string, LocalModule>();

  /** Returns the module of a real path. */
  at(file: string): LocalModule {
    const known = this.#modules.get(file);
    if (known !== undefined) return known;
    const made = new LocalModule(file);
    this.#modules.set(file, made);
    protectFile(file);
    return made;
  }

  has(file: string): boolean {
    return this.#modules.has(file);
  }

  /** Notes an import. If the importer has run, the imported module may run at any moment, so it counts as run. */
  link(importer: LocalModule, imported: LocalModule): void {
    importer.imports.add(imported);
    if (importer.hasBegun) this.begin(imported);
  }

  /** Notes that a module, with everything it imports, is about to run. */
  begin(module: LocalModule): void {
    for (const each of this.waiting(module)) each.hasBegun = true;
  }

  /** Returns a module and those it imports, as far as they have not run. */
  waiting(module: LocalModule): ReadonlySet<LocalModule> {
    return reachable(module, (each) => !each.hasBegun);
  }

  /** Renews the changed files among a module and its imports, and all their importers. */
  refresh(module: LocalModule): void {
    const all = [...reachable(module, () => true)];
    // Repeated here, because files that another agent loaded before are sources of this agent, too.
    for (const { file } of all) protectFile(file);
    this.renew(all.filter((each) => each.hasChanged()));
  }

  /** Renews modules and all their importers. */
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
