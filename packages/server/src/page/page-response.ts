import { ShallotError } from '@shallot/core';

import type { Page } from './page.ts';

let page: Promise<Page> | undefined;

/**
 * Answers with the page, which is loaded at the first request.
 * @throws `server/NOT_FOUND` in a clone without the packages that bundle the page
 */
export async function pageResponse(): Promise<Response> {
  page ??= import('./web-page.ts').then(({ webPage }) => webPage());
  const { html, policy } = await page.catch((cause: unknown) => {
    page = undefined;
    const message = `The page cannot be bundled from its sources (${String(cause)}). Run npx pnpm install in the clone.`;
    throw new ShallotError('server/NOT_FOUND', { message, cause });
  });
  return new Response(html, {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
      'cache-control': 'no-cache',
      'cross-origin-opener-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
    },
  });
}
