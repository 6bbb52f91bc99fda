import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserUnavailable, startBrowser } from './test-support/browser.ts';
import { type PageAgent, startPageAgent } from './test-support/page-agent.ts';

const unavailable = browserUnavailable();
if (unavailable !== undefined) console.warn(`skipped: ${unavailable}`);

describe.skipIf(unavailable !== undefined)('the page of rxlet ui', { timeout: 60_000 }, () => {
  let shown: PageAgent;

  beforeAll(async () => {
    shown = await startPageAgent({ prepare: ({ put }) => put('web') });
  }, 120_000);
  afterAll(() => shown?.[Symbol.asyncDispose]());

  it('shows the pods as they come, change and go, and those that are gone', async () => {
    const { page } = shown.browser;
    const row = (name: string) =>
      page
        .getByRole('table', { name: 'Pods', exact: true })
        .getByRole('row')
        .filter({ hasText: `default/${name}-node1` });
    await row('web').getByText('Running').waitFor();
    await shown.put('broken', { command: ['sh', '-c', 'exit 3'] });
    await row('broken').getByText('CrashLoopBackOff').waitFor();
    shown.remove('broken');
    await row('broken').waitFor({ state: 'detached' });
    await page.getByRole('table', { name: 'Pods that are gone' }).getByText('broken-node1').waitFor();
  });

  it('keeps its secret out of the address, and its session over a reload and in a second tab', async () => {
    const { page, context } = shown.browser;
    expect(page.url()).not.toContain('secret');
    await page.reload();
    await page.getByText('default/web-node1').waitFor();
    const second = await context.newPage();
    await second.goto(page.url());
    await second.getByText('default/web-node1').waitFor();
    await second.close();
  });

  it('rejects a second browser with the same address', async () => {
    await using other = await startBrowser();
    await other.page.goto(shown.ui.address);
    await other.page.getByText('This browser has no session').waitFor();
    expect(await other.page.getByText('web-node1').count()).toBe(0);
  });

  it('filters, sorts and moves by keyboard', async () => {
    const { page } = shown.browser;
    await shown.put('api');
    await page.getByText('default/api-node1').waitFor();
    const names = (): Promise<string[]> => page.locator('.pods-table .name a').allInnerTexts();
    await expect.poll(names).toEqual(['default/api-node1', 'default/web-node1']);
    await page.getByRole('button', { name: 'Pod', exact: true }).click();
    await expect.poll(names).toEqual(['default/web-node1', 'default/api-node1']);
    await page.keyboard.press('/');
    await page.keyboard.type('api');
    await expect.poll(names).toEqual(['default/api-node1']);
    await page.getByRole('searchbox').fill('');
    await expect.poll(names).toHaveLength(2);
    await page.locator('.pods-table .name a').first().focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'default/api-node1' }).waitFor();
    expect(page.url()).toContain('#/pods/default/api-node1');
  });

  it('has no error in its console', () => {
    expect(shown.browser.complaints).toEqual([]);
  });
});
