import { kubeClients } from '@rxlet/agent-api/kube';
import { createModuleContext } from '@rxlet/agent-api/testing';
import { type KubeClients, KubeError, type ObjectWatch } from '@rxlet/kube-api/client';
import { createMemoryKube } from '@rxlet/kube-api/testing';
import { createVirtualClock, recordingLogger } from '@rxlet/component-base/testing';
import type { ConfigMap } from '@rxlet/kube-api';
import { resources } from '@rxlet/kube-api/resources';
import { createMemoryFiles } from '@rxlet/node-files/testing';
import { expect, it } from 'vitest';
import { offlineCache } from './offline-cache-module.ts';

const { configMaps, pods } = resources;
const SETTINGS = { namespace: 'default', fieldSelector: 'metadata.name=settings' };
const memory = createMemoryFiles();

/** Starts a module whose API server answers watches of a resource only if `answers`, and otherwise fails with `problem`. */
async function startModule(answers: boolean, problem?: KubeError, silent = 'configmaps') {
  const clock = createVirtualClock();
  const kube = createMemoryKube();
  const pod = {
    metadata: { name: 'web', namespace: 'default' },
    spec: { nodeName: 'node1', containers: [{ name: 'c', envFrom: [{ configMapRef: { name: 'settings' } }] }] },
  };
  await kube.main.create(pods, pod);
  await kube.main.create(configMaps, { metadata: { name: 'settings', namespace: 'default' }, data: { key: 'old' } });
  const watch: KubeClients['main']['watch'] = (resource, options) => {
    const inner = kube.main.watch(resource, options);
    if (answers || resource.plural !== silent) return inner;
    return Object.defineProperties({} as typeof inner, {
      ...Object.getOwnPropertyDescriptors(inner),
      start: { value: () => undefined },
      problem: { value: problem },
    });
  };
  const context = createModuleContext({
    clock,
    files: memory.nodeFiles,
    logger: recordingLogger(),
    node: { name: 'node1', rootDirectory: '/root', podLogsDirectory: '/var/log/pods', ips: [] },
  });
  const parts = offlineCache({ clients: { ...kube, main: { ...kube.main, watch } } }).setup(context)!;
  await parts.start!(new AbortController().signal);
  const service = parts.services!.find(({ key }) => key === (kubeClients as unknown))!.service as KubeClients;
  return { clock, client: service.main, [Symbol.asyncDispose]: async () => parts[Symbol.asyncDispose]!() };
}

async function keepObjects(): Promise<void> {
  await using module = await startModule(true);
  await using podWatch = module.client.watch(pods);
  await using mapWatch = module.client.watch(configMaps, SETTINGS);
  podWatch.start();
  mapWatch.start();
  await module.clock.advance(5_000);
  expect(mapWatch.list()).toHaveLength(1);
}

const found = (watch: ObjectWatch<ConfigMap>): unknown => watch.list().map(({ data }) => data?.['key']);

it('waits for an API server that answers slowly, instead of using objects of an earlier agent', async () => {
  await keepObjects();
  await using module = await startModule(false);
  await using podWatch = module.client.watch(pods);
  podWatch.start();
  await module.clock.advance(3_600_000);
  await using watch = module.client.watch(configMaps, SETTINGS);
  watch.start();
  await module.clock.advance(5_000);
  expect([watch.isSynced, found(watch)]).toEqual([false, []]);
});

it('uses the last known objects when the API server has not answered, or becomes unreachable', async () => {
  await keepObjects();
  await using silent = await startModule(false);
  await using first = silent.client.watch(configMaps, SETTINGS);
  first.start();
  await silent.clock.advance(10_000);
  expect([first.isSynced, found(first)]).toEqual([true, ['old']]);
  await using module = await startModule(false, new KubeError('Unreachable', 'connection refused'));
  await using podWatch = module.client.watch(pods);
  podWatch.start();
  await module.clock.advance(3_600_000);
  await using watch = module.client.watch(configMaps, SETTINGS);
  watch.start();
  await module.clock.advance(5_000);
  expect([watch.isSynced, found(watch)]).toEqual([true, ['old']]);
});

const WEB = { name: 'web', namespace: 'default' };

/** Starts a module that knows the pod web, and whose watch then breaks. */
async function startWithBrokenWatch() {
  const module = await startModule(true);
  const podWatch = module.client.watch(pods);
  podWatch.start();
  await module.clock.advance(5_000);
  expect(podWatch.list()).toHaveLength(1);
  const uid = podWatch.list()[0]?.metadata?.uid ?? '';
  await podWatch[Symbol.asyncDispose]();
  return { client: module.client, uid };
}

const fail = ({ client, uid }: Awaited<ReturnType<typeof startWithBrokenWatch>>) =>
  client.patch(
    pods,
    WEB,
    { type: 'strategic', body: { metadata: { uid }, status: { phase: 'Failed' } } },
    { subresource: 'status' },
  );

it('does not bring back a pod whose end was reported, although the watch has not shown it', async () => {
  const module = await startWithBrokenWatch();
  expect(await keptPods()).toEqual(['web']);
  await fail(module);
  // The agent is killed at once.
  expect(await keptPods()).toEqual([]);
});

it('does not bring back a pod whose deletion was confirmed, although the disk is full', async () => {
  const { client, uid } = await startWithBrokenWatch();
  memory.fault = (operation) => {
    if (operation !== 'removeFile') throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  };
  await client.delete(pods, WEB, { gracePeriodSeconds: 0, preconditions: { uid } });
  memory.fault = undefined;
  expect(await keptPods()).toEqual([]);
});

it('does not bring back a pod once the watch has shown its deletion', async () => {
  await using module = await startModule(true);
  await using podWatch = module.client.watch(pods);
  podWatch.start();
  await module.clock.advance(5_000);
  const body = { metadata: { deletionTimestamp: '2026-01-01T00:00:30Z' } };
  await module.client.patch(pods, WEB, { type: 'strategic', body });
  expect(podWatch.list()[0]?.metadata?.deletionTimestamp).toBeDefined();
  await module.clock.advance(10);
  expect(await keptPods()).toEqual([]);
});

it('reports the end of a pod although its directory is read-only', async () => {
  const module = await startWithBrokenWatch();
  memory.fault = () => {
    throw Object.assign(new Error('read-only file system'), { code: 'EROFS' });
  };
  await expect(fail(module)).resolves.toMatchObject({ status: { phase: 'Failed' } });
  memory.fault = undefined;
});

/** Returns the names of the pods of which an agent without an API server knows. */
async function keptPods(): Promise<readonly string[]> {
  await using module = await startModule(false, undefined, 'pods');
  await using podWatch = module.client.watch(pods);
  podWatch.start();
  await module.clock.advance(10_000);
  return podWatch.list().map(({ metadata }) => metadata?.name ?? '');
}
