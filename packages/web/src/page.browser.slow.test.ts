import { afterAll, describe, expect, it, onTestFinished } from 'vitest';

import { closeBrowser, openPage, testBrowser } from '../test/browser.ts';
import { servePage } from '../test/served-page.ts';
import { writeMessage } from '../test/write-message.ts';

afterAll(closeBrowser);

describe.skipIf(testBrowser === undefined)('the page in a browser', () => {
  it('sends a message, asks for approval, and shows the answer, with requests to its own server alone', async () => {
    const { url, desk, close } = await servePage([
      {
        text: 'I write **it** down.',
        toolCalls: [{ name: 'write', args: { path: '/a.txt', text: 'bees' } }],
      },
      { text: 'Done: [see](https://example.org/a) and ![it](https://example.org/b.png)' },
    ]);
    onTestFinished(close);
    const { page, faults, origins } = await openPage(url);
    await writeMessage(page, 'Write bees');
    const question = page.getByRole('region', { name: 'May write be executed?' });
    await question.getByRole('button', { name: 'Approve', exact: true }).click();
    await page.getByText('Done:').waitFor();
    expect(desk.written).toEqual([{ path: '/a.txt', text: 'bees' }]);
    expect(await page.locator('.markdown strong').textContent()).toBe('it');
    expect(await page.locator('.thread img').count()).toBe(0);
    expect(await page.getByRole('link', { name: 'see' }).getAttribute('rel')).toBe('noopener noreferrer');
    expect([...origins]).toEqual([new URL(url).origin]);
    expect(faults).toEqual([]);
  });
});
