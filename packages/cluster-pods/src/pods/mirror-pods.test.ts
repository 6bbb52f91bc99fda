import { KubeError } from '@rxlet/kube-api/client';
import { createMemoryKube } from '@rxlet/kube-api/testing';
import { noopLogger } from '@rxlet/component-base';
import type { Node, Pod } from '@rxlet/kube-api';
import { resources } from '@rxlet/kube-api/resources';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createMirrorPods } from './mirror-pods.ts';

const ref = { name: 'web-node1', namespace: 'ns' };
const staticPod = (hash: string): Pod => ({
  metadata: {
    ...ref,
    uid: hash,
    annotations: { 'kubernetes.io/config.hash': hash, 'kubernetes.io/config.source': 'file' },
  },
  spec: { nodeName: 'node1', containers: [] },
});
const { signal } = new AbortController();

function setUp(metadata: Node['metadata'] = { name: 'node1', uid: 'node-uid' }) {
  const kube = createMemoryKube();
  const watch = kube.main.watch(resources.pods, { fieldSelector: 'spec.nodeName=node1' });
  watch.start();
  const node = { cached: (): Node => ({ metadata: metadata }) };
  const mirrors = createMirrorPods({ client: kube.main, watch, node, logger: noopLogger });
  const verbs = (): string[] => kube.requests.map(({ verb }) => verb).filter((verb) => verb !== 'watch');
  return { kube, mirrors, verbs };
}

describe('createMirrorPods', () => {
  it('creates a mirror that the node owns, once', async () => {
    const { kube, mirrors, verbs } = setUp();
    await mirrors.reconcile(staticPod('h1'), signal);
    expect(kube.peek(resources.pods, ref)?.metadata).toMatchObject({
      annotations: { 'kubernetes.io/config.hash': 'h1', 'kubernetes.io/config.mirror': 'h1' },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'node1', uid: 'node-uid', controller: true }],
    });
    expect([...mirrors.fullNames()]).toEqual(['web-node1_ns']);
    expect(mirrors.mirrorOf(staticPod('h1'))).toBeDefined();
    await mirrors.reconcile(staticPod('h1'), signal);
    expect(verbs()).toEqual(['create']);
  });

  it('emits a mirror of an earlier agent, and each new one', async () => {
    const kube = createMemoryKube();
    const node = { cached: (): Node => ({ metadata: { name: 'node1', uid: 'node-uid' } }) };
    const mirrorsOf = () => {
      const watch = kube.main.watch(resources.pods, { fieldSelector: 'spec.nodeName=node1' });
      watch.start();
      return createMirrorPods({ client: kube.main, watch, node, logger: noopLogger });
    };
    await mirrorsOf().reconcile(staticPod('h1'), signal);
    const mirrors = mirrorsOf();
    const changed: string[] = [];
    const subscription = mirrors.changes$.subscribe((fullName) => changed.push(fullName));
    onTestFinished(() => subscription.unsubscribe());
    expect(changed).toEqual(['web-node1_ns']);
    await mirrors.reconcile(staticPod('h2'), signal);
    expect(changed).toEqual(['web-node1_ns', 'web-node1_ns']);
  });

  it('replaces the mirror of another version, with the UID as precondition', async () => {
    const { kube, mirrors, verbs } = setUp();
    await mirrors.reconcile(staticPod('h1'), signal);
    const { uid } = kube.peek(resources.pods, ref)!.metadata!;
    await mirrors.reconcile(staticPod('h2'), signal);
    expect(verbs()).toEqual(['create', 'delete', 'create']);
    expect(kube.requests.find(({ verb }) => verb === 'delete')?.body).toEqual({
      gracePeriodSeconds: 0,
      preconditions: { uid },
    });
  });

  it('replaces a mirror that a user deletes', async () => {
    const { kube, mirrors, verbs } = setUp();
    await mirrors.reconcile(staticPod('h1'), signal);
    const mirror = kube.peek(resources.pods, ref)!;
    kube.put(resources.pods, {
      ...mirror,
      metadata: { ...mirror.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
    });
    await mirrors.reconcile(staticPod('h1'), signal);
    expect(verbs()).toEqual(['create', 'delete', 'create']);
  });

  it('rejects while a stale mirror cannot be deleted, so that it is tried again', async () => {
    const { kube, mirrors, verbs } = setUp();
    await mirrors.reconcile(staticPod('h1'), signal);
    kube.onRequest = ({ verb }) => {
      if (verb === 'delete') throw new KubeError('Conflict', 'precondition failed', { code: 409 });
    };
    await expect(mirrors.reconcile(staticPod('h2'), signal)).rejects.toThrow('precondition failed');
    await mirrors.remove('web-node1_ns', signal);
    expect(verbs()).toEqual(['create', 'delete', 'delete']);
  });

  it('accepts a mirror that the watch does not have yet, and no other pod of the name', async () => {
    const { kube, mirrors } = setUp();
    const { metadata } = staticPod('h1');
    const elsewhere = { containers: [], nodeName: 'other' };
    const annotations = { 'kubernetes.io/config.mirror': 'h1' };
    kube.put(resources.pods, { metadata: { ...metadata, annotations }, spec: elsewhere });
    await mirrors.reconcile(staticPod('h1'), signal);
    await expect(mirrors.reconcile(staticPod('h2'), signal)).rejects.toThrow('already exists');
  });

  it('needs the UID of the node, and creates nothing for a node that is deleted', async () => {
    await expect(setUp({ name: 'node1' }).mirrors.reconcile(staticPod('h1'), signal)).rejects.toThrow('not registered');
    const { mirrors, verbs } = setUp({ name: 'node1', uid: 'u', deletionTimestamp: '2026-01-01T00:00:00Z' });
    await mirrors.reconcile(staticPod('h1'), signal);
    expect(verbs()).toEqual([]);
  });

  it('removes a mirror by its full name', async () => {
    const { kube, mirrors, verbs } = setUp();
    await mirrors.reconcile(staticPod('h1'), signal);
    await mirrors.remove('web-node1_ns', signal);
    await mirrors.remove('web-node1_ns', signal);
    expect(verbs()).toEqual(['create', 'delete']);
    expect(kube.peek(resources.pods, ref)).toBeUndefined();
  });
});
