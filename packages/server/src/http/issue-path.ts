/** Returns the place of an issue of a Standard Schema, with dots between its keys. */
export function issuePath(path: readonly (PropertyKey | { readonly key: PropertyKey })[] = []): string {
  return path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
}
