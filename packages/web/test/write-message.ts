import type { Page } from 'playwright-core';

/** Types a message as a person would, and sends it with Enter. */
export async function writeMessage(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: /^Message/ }).click();
  await page.keyboard.type(text);
  await page.keyboard.press('Enter');
}
