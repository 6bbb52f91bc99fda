import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@rxlet/test-containerd/eventually';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from './test-support/free-port.ts';
import { type AgentProcess, makeAgentFolders, startAgent } from './test-support/agent-process.ts';
import { browserUnavailable, startBrowser } from './test-support/browser.ts';

const unavailable = browserUnavailable();
if (unavailable !== undefined) console.warn(`skipped: ${unavailable}`);

describe.skipIf(unavailable !== undefined)("the page of the kubelet's API", { timeout: 60_000 }, () => {
  let folder: string;
  let port: number;
  let agent: AgentProcess;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rxlet-ui-'));
    port = await freePort();
    const folders = await makeAgentFolders(folder, {
      enableServer: true,
      address: '127.0.0.1',
      port,
      healthzPort: 0,
      authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
      authorization: { mode: 'AlwaysAllow' },
    });
    await writeFile(
      join(folders.manifests, 'web.yaml'),
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'web' },
        spec: { containers: [{ name: 'main', image: 'busybox:1.36', command: ['sleep', 'infinity'] }] },
      }),
    );
    agent = startAgent(folders, '--fake-runtime', '--kubelet-api-ui', '--cert-dir', join(folder, 'pki'));
    await eventually('the agent runs', async () => agent.output().includes('rxlet is running'), agent.output);
  }, 60_000);
  afterAll(async () => {
    await agent?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  const status = (path: string, headers: Record<string, string>): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const call = request(
        { host: '127.0.0.1', port, path, headers, rejectUnauthorized: false, agent: false },
        (answer) => {
          answer.destroy();
          resolve(answer.statusCode);
        },
      );
      call.once('error', reject);
      call.end();
    });

  it('shows the pods and their logs, without terminals', async () => {
    await using browser = await startBrowser({ args: ['--ignore-certificate-errors'] });
    await browser.page.goto(`https://127.0.0.1:${String(port)}/ui/`);
    await browser.page.locator('.pods-table').getByText('default/web-node1').click();
    await browser.page.getByRole('heading', { name: 'default/web-node1' }).waitFor();
    await browser.page
      .getByRole('button', { name: /^running/ })
      .first()
      .waitFor();
    expect(await browser.page.getByRole('link', { name: 'Terminal' }).count()).toBe(0);
    expect(browser.complaints).toEqual([]);
  });

  it('rejects every request that a page of another origin makes a browser send', async () => {
    const host = `127.0.0.1:${String(port)}`;
    const own = { host, origin: `https://${host}`, 'sec-fetch-site': 'same-origin' };
    for (const path of ['/ui/', '/ui/stream', '/pods', '/containerLogs/default/web-node1/main', '/healthz']) {
      expect(await status(path, own), path).toBe(200);
      expect(await status(path, { host }), path).toBe(200);
      expect(await status(path, { ...own, origin: 'https://evil.test' }), path).toBe(403);
      expect(await status(path, { host, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }), path).toBe(403);
      expect(await status(path, { ...own, host: `127.0.0.1.evil.test:${String(port)}` }), path).toBe(403);
    }
  });
});
