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

  it('attaches an image within the limit, keeps a rule of an approval, and renames the session', async () => {
    const write = { toolCalls: [{ name: 'write', args: { path: '/a.txt' } }] };
    const { url, store, desk, close } = await servePage([write, write, { text: 'Twice.' }], {
      limits: { bodyBytes: 100_000 },
    });
    onTestFinished(close);
    const { page, faults } = await openPage(url, { width: 360, height: 740 });
    const input = page.locator('input[type=file]');
    const image = { name: 'dot.gif', mimeType: 'image/gif', buffer: Buffer.from(gif, 'base64') };
    await input.setInputFiles([
      image,
      { ...image, name: 'film.gif', buffer: Buffer.alloc(60_000) },
      { name: 'notes.md', mimeType: 'text/markdown', buffer: Buffer.from('# Bees') },
    ]);
    await page
      .getByRole('alert')
      .getByText('film.gif has 60 kB: the files of a message may have 25 kB.')
      .waitFor();
    await page.getByRole('button', { name: 'Remove notes.md' }).click();
    await page.getByRole('textbox', { name: /^Message/ }).fill('as long as a message may be '.repeat(9));
    expect(await page.evaluate(() => document.querySelector('main')?.scrollWidth)).toBe(360);
    await page.getByRole('textbox', { name: /^Message/ }).fill('');
    await writeMessage(page, 'Write it');
    await page.getByRole('img', { name: 'dot.gif' }).waitFor();
    await page.getByRole('button', { name: 'Always in this session' }).click();
    await page.getByText('Twice.').waitFor();
    expect(desk.written).toEqual([{ path: '/a.txt' }, { path: '/a.txt' }]);

    await page.getByRole('button', { name: 'Rename' }).click();
    await page.keyboard.type('A dot');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'A dot' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'A dot' }).waitFor();
    for await (const { id, about } of store.list()) {
      expect(about?.title).toBe('A dot');
      const [first] = (await store.load(id))?.messages ?? [];
      expect(first?.content).toEqual([
        { type: 'text', text: 'Write it' },
        { type: 'file', mediaType: 'image/gif', name: 'dot.gif', data: gif },
      ]);
    }
    expect(faults).toEqual([]);
  });
});

/** An image of one pixel. */
const gif = 'R0lGODlhAQABAIAAAP///wAAACH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==';
