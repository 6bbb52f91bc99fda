import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@rxlet/test-containerd/eventually';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AgentFolders, type AgentProcess, makeAgentFolders, startAgent } from './test-support/agent-process.ts';
import { browserUnavailable, startBrowser, type TestBrowser } from './test-support/browser.ts';
import { startUi, type UiProcess } from './test-support/ui-process.ts';

const unavailable = browserUnavailable();
if (unavailable !== undefined) console.warn(`skipped: ${unavailable}`);

describe.skipIf(unavailable !== undefined)('the page of rxlet ui', { timeout: 60_000 }, () => {
  let folder: string;
  let folders: AgentFolders;
  let agent: AgentProcess;
  let ui: UiProcess;
  let browser: TestBrowser;

  const put = (name: string, container: object = {}): Promise<void> =>
    writeFile(
      join(folders.manifests, `${name}.yaml`),
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name },
        spec: { containers: [{ name: 'main', image: 'busybox:1.36', command: ['sleep', 'infinity'], ...container }] },
      }),
    );

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rxlet-ui-'));
    folders = await makeAgentFolders(folder);
    await put('web');
    agent = startAgent(folders, '--fake-runtime');
    await eventually('the agent runs', async () => agent.output().includes('rxlet is running'), agent.output);
    ui = await startUi(folders.root);
    browser = await startBrowser();
    await browser.page.goto(ui.address);
  }, 120_000);
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
    await ui?.[Symbol.asyncDispose]();
    await agent?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  it('shows the pods as they come, change and go', async () => {
    const { page } = browser;
    const row = (name: string) => page.getByRole('row').filter({ hasText: `default/${name}-node1` });
    await row('web').getByText('Running').waitFor();
    await put('broken', { command: ['sh', '-c', 'exit 3'] });
    await row('broken').getByText('CrashLoopBackOff').waitFor();
    await rm(join(folders.manifests, 'broken.yaml'));
    await row('broken').waitFor({ state: 'detached' });
  });

  it('keeps its secret out of the address, and its session over a reload and in a second tab', async () => {
    const { page, context } = browser;
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
    await other.page.goto(ui.address);
    await other.page.getByText('This browser has no session').waitFor();
    expect(await other.page.getByText('web-node1').count()).toBe(0);
  });

  it('has no error in its console', () => {
    expect(browser.complaints).toEqual([]);
  });
});
