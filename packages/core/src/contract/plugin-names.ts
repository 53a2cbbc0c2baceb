/** Returns true for a valid name or id of a plugin: lower-case letters, digits and hyphens. */
export function isPluginName(value: unknown): value is string {
  return typeof value === 'string' && /^[a-z0-9][a-z0-9-]*$/.test(value);
}

/** Formats a plugin's name and version for a message. */
export function versioned({
  name,
  version,
}: {
  readonly name: string;
  readonly version?: string | undefined;
}): string {
  return `${name} ${version ?? '(no version)'}`;
}

/** Names under which the core asks questions and stores data; plugins cannot have them. */
export const coreNames: ReadonlySet<string> = new Set(['core', 'tool']);
