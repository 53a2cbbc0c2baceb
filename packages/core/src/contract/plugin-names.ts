/** Whether a value can be the name or the id of a plugin: lower-case letters, digits and hyphens. */
export function isPluginName(value: unknown): value is string {
  return typeof value === 'string' && /^[a-z0-9][a-z0-9-]*$/.test(value);
}

/** A plugin in a message: what it is called, and its version. */
export function versioned({
  name,
  version,
}: {
  readonly name: string;
  readonly version?: string | undefined;
}): string {
  return `${name} ${version ?? '(no version)'}`;
}

/** Who asks questions and keeps records in a run without being a plugin: no plugin may have these names. */
export const coreNames: ReadonlySet<string> = new Set(['core', 'tool']);
