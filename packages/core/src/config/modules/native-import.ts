/** Node's own `import()`, in a separate file, so that test runners and bundlers can be configured not to rewrite it. */
export async function nativeImport(url: string): Promise<Readonly<Record<string, unknown>>> {
  return (await import(/* @vite-ignore */ url)) as Readonly<Record<string, unknown>>;
}
