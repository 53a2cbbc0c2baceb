import type { Page } from './page.ts';

/**
 * Returns the page. In a clone it is bundled at run time; the build replaces this module with one that contains the
 * bundled page.
 */
export async function webPage(): Promise<Page> {
  // The module is imported by its path. A dependency would form a circle: the page depends on the client, and the
  // client on the server.
  const sources = new URL('../../../web/bundle-page.ts', import.meta.url);
  const { bundlePage } = (await import(sources.href)) as { readonly bundlePage: () => Promise<Page> };
  return bundlePage();
}
