/**
 * Node's own `import()`, in a file of its own: test runners and bundlers that rewrite imports leave it alone when they
 * are told to leave this file alone.
 */
export async function nativeImport(url: string): Promise<Readonly<Record<string, unknown>>> {
  return (await import(/* @vite-ignore */ url)) as Readonly<Record<string, unknown>>;
}
