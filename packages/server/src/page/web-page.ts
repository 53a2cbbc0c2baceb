import type { Page } from './page.ts';

/** Returns the page. From the sources it is bundled now; the build puts the bundled one in the place of this module. */
export async function webPage(): Promise<Page> {
  // By its place: to be a dependency is not possible, for the page depends on the client, and the client on the server.
  const sources = new URL('../../../web/bundle-page.ts', import.meta.url);
  const { bundlePage } = (await import(sources.href)) as { readonly bundlePage: () => Promise<Page> };
  return bundlePage();
}
