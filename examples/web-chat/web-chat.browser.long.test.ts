import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { closeBrowser, openPage, testBrowser } from '@shallot/web/browser';
import { afterAll, describe, expect, it } from 'vitest';

import { copyExample, startServer } from './test/example-copy.ts';

afterAll(closeBrowser);

describe.skipIf(testBrowser === undefined)('the page of the example in a browser', () => {
  it('asks, is loaded again, outlasts a restart of the server, and takes the answers', async () => {
    const folder = copyExample();
    const first = await startServer(folder, ['server.ts']);
    const { page, faults, origins } = await openPage(first.url);
    const say = async (text: string): Promise<void> => {
      await page.getByRole('textbox', { name: 'Message' }).fill(text);
      await page.keyboard.press('Enter');
    };
    await say('Roses');
    await page.getByRole('button', { name: 'Approve' }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Approve' }).waitFor();
    expect(await page.locator('article').count()).toBe(2);

    first.server.kill('SIGTERM');
    await once(first.server, 'exit');
    const { port } = new URL(first.url);
    await startServer(folder, ['server.ts'], port);
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('It is settled: bought Roses').waitFor();

    await say('Thistles');
    await page.getByRole('button', { name: 'Reject' }).click();
    await page.getByText('output-denied').waitFor();
    await page.reload();
    await page.getByText('output-denied').waitFor();
    expect(await page.locator('article').count()).toBe(4);
    expect(readFileSync(join(folder, '.shallot/garden/bought.txt'), 'utf8')).toBe('Roses\n');
    expect([...origins]).toEqual([new URL(first.url).origin]);
    // The chat was read before it had begun.
    expect(faults).toEqual([expect.stringMatching(/404/)]);
  });
});
