import { contributionsTo, createModuleContext } from '@rxlet/agent-api/testing';
import type { AgentModule } from '@rxlet/agent-api';
import { podSources } from '@rxlet/agent-api/sources';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { createMemoryFiles } from '@rxlet/node-files/testing';
import { firstValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { staticPodsFromUrl } from './static-pods-from-url-module.ts';
import { staticPods } from './static-pods-module.ts';
import { testManifest } from './test-manifest.ts';

/** Sets a module up as an agent does, and starts its only source. */
function setUp(module: AgentModule, files = createMemoryFiles({ roots: ['/var/lib/agent'] })) {
  const clock = createVirtualClock();
  const context = createModuleContext({
    clock,
    files: files.nodeFiles,
    hostFiles: files.hostFiles,
    node: { name: 'node1', rootDirectory: '/var/lib/agent', podLogsDirectory: '/var/log/pods', ips: [] },
  });
  const parts = module.setup(context)!;
  const [source] = contributionsTo(parts, podSources);
  source!.start();
  const names = async (): Promise<readonly (string | undefined)[]> =>
    (await firstValueFrom(source!.snapshots$)).map(({ metadata }) => metadata?.name);
  return { clock, files, parts, source: source!, names };
}

describe('staticPods', () => {
  it('contributes the source file, with the pods of a folder', async () => {
    const files = createMemoryFiles({ files: { '/manifests/web.yaml': testManifest('web') } });
    const { clock, parts, source, names } = setUp(staticPods({ path: '/manifests' }), files);
    await clock.settle();
    expect(source.name).toBe('file');
    expect(await names()).toEqual(['web-node1']);
    await parts[Symbol.asyncDispose]!();
    expect([clock.pendingTimers, files.openWatches]).toEqual([0, 0]);
  });

  it('checks a single file at the period that was set', async () => {
    const files = createMemoryFiles({ files: { '/web.yaml': testManifest('web') } });
    const { clock, parts, names } = setUp(staticPods({ path: '/web.yaml', checkPeriodMs: 5000 }), files);
    await clock.settle();
    files.unseen(() => files.put('/web.yaml', testManifest('db')));
    await clock.advance(4999);
    expect(await names()).toEqual(['web-node1']);
    await clock.advance(1);
    expect(await names()).toEqual(['db-node1']);
    await parts[Symbol.asyncDispose]!();
  });

  it('saves the last good pods privately in the root directory, and restores them', async () => {
    const files = createMemoryFiles({
      roots: ['/var/lib/agent'],
      files: { '/manifests/web.yaml': testManifest('web') },
    });
    const first = setUp(staticPods({ path: '/manifests' }), files);
    await first.clock.settle();
    await first.parts[Symbol.asyncDispose]!();
    expect(files.info('/var/lib/agent/static_pods')).toMatchObject({ kind: 'file', mode: 0o600 });
    files.put('/manifests/web.yaml', 'kind: ');
    const second = setUp(staticPods({ path: '/manifests' }), files);
    await second.clock.settle();
    expect(await second.names()).toEqual(['web-node1']);
    await second.parts[Symbol.asyncDispose]!();
  });
});

describe('staticPodsFromUrl', () => {
  it('contributes the source http, with the pods that the server has for this node', async () => {
    const requests: unknown[] = [];
    const fetcher = {
      get(url: string, { headers }: { readonly headers: unknown }) {
        requests.push([url, headers]);
        return Promise.resolve({ status: 200, body: new TextEncoder().encode(testManifest('web')) });
      },
    };
    const headers = [['Authorization', 'secret']] as const;
    const module = staticPodsFromUrl({ url: 'http://pods.example/node1', headers, checkPeriodMs: 5000, fetcher });
    const { clock, parts, source, names } = setUp(module);
    await clock.advance(5000);
    expect(source.name).toBe('http');
    expect(await names()).toEqual(['web-node1']);
    expect(requests).toEqual(Array(2).fill(['http://pods.example/node1', headers]));
    await parts[Symbol.asyncDispose]!();
    expect(clock.pendingTimers).toBe(0);
  });

  it('fails at set-up for a URL that no manifest can have', () => {
    expect(() => setUp(staticPodsFromUrl({ url: 'pods.example' }))).toThrow(TypeError);
  });
});
