import type { Lease, Pod } from '@rxlet/kube-api';
import { resources, subresources } from '@rxlet/kube-api/resources';
import { describe, expect, it, vi } from 'vitest';
import { type ContractFixture, NODE, WAIT, ownNode, refOf } from './contract-fixture.ts';

const { pods, nodes, configMaps, secrets, leases } = resources;

/** Defines the tests of what a node agent may do. */
export function describeNodeAgent(fixture: () => ContractFixture): void {
  describe('a node agent', () => {
    it('registers its node and renews its lease, and no others', async () => {
      const { target, admin } = fixture();
      const { node } = target;
      const created = await ownNode(admin, node);
      expect(created.status?.nodeInfo?.kubeletVersion).toBe('v1.36.2');
      await expect(node.create(nodes, { metadata: { name: NODE } })).rejects.toMatchObject({
        reason: 'AlreadyExists',
      });
      await expect(node.create(nodes, { metadata: { name: 'other-node' } })).rejects.toMatchObject({
        reason: 'Forbidden',
        code: 403,
      });
      await expect(node.get(nodes, { name: 'other-node' })).rejects.toMatchObject({ reason: 'Forbidden' });
      const body = {
        metadata: { labels: { 'kubernetes.io/arch': 'amd64' } },
        status: { conditions: [{ type: 'Ready', status: 'True' }] },
      };
      const patched = await node.patch(nodes, { name: NODE }, { type: 'strategic', body }, { subresource: 'status' });
      expect([patched.metadata?.labels?.['kubernetes.io/arch'], patched.status?.conditions?.[0]?.status]).toEqual([
        'amd64',
        'True',
      ]);
      const restricted = { metadata: { labels: { 'node-restriction.kubernetes.io/x': 'y' } } };
      await expect(node.patch(nodes, { name: NODE }, { type: 'merge', body: restricted })).rejects.toMatchObject({
        reason: 'Forbidden',
      });
      const taints = { spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } };
      await expect(node.patch(nodes, { name: NODE }, { type: 'strategic', body: taints })).rejects.toMatchObject({
        reason: 'Forbidden',
      });
      const lease: Lease = await node.create(leases, {
        metadata: { name: NODE, namespace: 'kube-node-lease' },
        spec: { holderIdentity: NODE, leaseDurationSeconds: 40 },
      });
      const renewed = await node.update(leases, {
        ...lease,
        spec: { ...lease.spec, renewTime: '2026-01-01T00:00:00.000000Z' },
      });
      expect(renewed.spec?.renewTime).toBe('2026-01-01T00:00:00.000000Z');
      await expect(node.update(leases, lease)).rejects.toMatchObject({ reason: 'Conflict' });
      await expect(node.get(leases, { name: 'other-node', namespace: 'kube-node-lease' })).rejects.toMatchObject({
        reason: 'Forbidden',
      });
    });

    it('reads its pods, and what they refer to', async () => {
      const { target, admin, namespace, createPod, createMap } = fixture();
      const { node } = target;
      const [used, unused] = [await createMap(), await createMap()];
      const secret = await admin.create(secrets, {
        metadata: { generateName: 's-', namespace },
        stringData: { a: 'x' },
      });
      expect(secret.data).toEqual({ a: 'eA==' });
      const volumes = [{ name: 'v', projected: { sources: [{ configMap: { name: used.metadata!.name! } }] } }];
      const env = [{ name: 'X', valueFrom: { secretKeyRef: { name: secret.metadata!.name!, key: 'a' } } }];
      const containers = [{ name: 'c', image: 'busybox:1', env }];
      const pod = await createPod({ volumes, containers });
      await expect(node.get(pods, refOf(pod))).rejects.toMatchObject({
        reason: 'Forbidden',
        message: `pods "${pod.metadata!.name!}" is forbidden: User "system:node:${NODE}" cannot get resource "pods" in API group "" in the namespace "${namespace}": no relationship found between node '${NODE}' and this object`,
      });
      await admin.createSubresource(subresources.podBinding, refOf(pod), {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name: pod.metadata!.name! },
        target: { kind: 'Node', name: NODE },
      });
      // The authorizer of a cluster follows the objects by watches of its own.
      await vi.waitFor(() => node.get(pods, refOf(pod)), WAIT);
      await vi.waitFor(() => node.get(configMaps, refOf(used)), WAIT);
      expect((await node.get(secrets, refOf(secret))).data).toEqual({ a: 'eA==' });
      await expect(node.get(configMaps, refOf(unused))).rejects.toMatchObject({ reason: 'Forbidden' });
      await using watch = node.watch(secrets, {
        namespace,
        fieldSelector: `metadata.name=${secret.metadata!.name!}`,
      });
      watch.start();
      await vi.waitFor(() => expect(watch.list()).toHaveLength(1), WAIT);
      await using others = node.watch(pods);
      others.start();
      await vi.waitFor(() => expect(others.problem).toMatchObject({ reason: 'Forbidden' }), WAIT);
      await expect(
        node.patch(pods, refOf(pod), { type: 'merge', body: { metadata: { labels: { a: 'b' } } } }),
      ).rejects.toMatchObject({ reason: 'Forbidden' });
    });

    it('requests tokens for its pods', async () => {
      const { target, admin, namespace, createBoundPod } = fixture();
      const { node } = target;
      const sources = [
        { serviceAccountToken: { path: 'token' } },
        { serviceAccountToken: { path: 'vault', audience: 'vault' } },
      ];
      const pod = await createBoundPod({ volumes: [{ name: 'tokens', projected: { sources } }] });
      const account = { namespace, name: 'default' };
      const boundObjectRef = { apiVersion: 'v1', kind: 'Pod', name: pod.metadata!.name!, uid: pod.metadata!.uid! };
      const request = {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: { audiences: [] as string[], expirationSeconds: 3607, boundObjectRef },
      };
      const granted = await vi.waitFor(
        () => node.createSubresource(subresources.serviceAccountToken, account, request),
        WAIT,
      );
      expect(granted.status?.token?.split('.')).toHaveLength(3);
      expect(Date.parse(granted.status!.expirationTimestamp!)).toBeGreaterThan(0);
      const review = await admin.create(resources.tokenReviews, { spec: { token: granted.status!.token! } });
      expect(review.status).toMatchObject({
        authenticated: true,
        user: { username: `system:serviceaccount:${namespace}:default` },
      });
      const other = { ...request, spec: { ...request.spec, audiences: ['other'] } };
      await expect(node.createSubresource(subresources.serviceAccountToken, account, other)).rejects.toMatchObject({
        reason: 'Forbidden',
        message: `serviceaccounts "default" is forbidden: audience "other" not found in pod spec volume, system:node:${NODE} is not authorized to request tokens for this audience`,
      });
      const unbound = { ...request, spec: { audiences: [], expirationSeconds: 3607 } };
      await expect(node.createSubresource(subresources.serviceAccountToken, account, unbound)).rejects.toMatchObject({
        reason: 'Forbidden',
      });
      const stale = {
        ...request,
        spec: { ...request.spec, boundObjectRef: { ...boundObjectRef, uid: '00000000-0000-0000-0000-000000000000' } },
      };
      await expect(node.createSubresource(subresources.serviceAccountToken, account, stale)).rejects.toMatchObject({
        reason: 'Forbidden',
      });
    });

    it('creates mirror pods only', async () => {
      const { target, admin, podOf } = fixture();
      const { node } = target;
      const owner = await ownNode(admin, node);
      const ownerReferences = [
        { apiVersion: 'v1', kind: 'Node', name: NODE, uid: owner.metadata!.uid!, controller: true },
      ];
      const spec = { nodeName: NODE, automountServiceAccountToken: undefined };
      const annotations = {
        'kubernetes.io/config.mirror': 'hash',
        'kubernetes.io/config.hash': 'hash',
        'kubernetes.io/config.source': 'file',
      };
      await expect(node.create(pods, withoutAutomount(podOf(spec, { ownerReferences })))).rejects.toMatchObject({
        reason: 'Forbidden',
      });
      const mirror = await node.create(pods, withoutAutomount(podOf(spec, { ownerReferences, annotations })));
      expect(mirror.spec?.nodeName).toBe(NODE);
      expect(mirror.spec?.serviceAccountName ?? '').toBe('');
      await node.delete(pods, refOf(mirror), { gracePeriodSeconds: 0, preconditions: { uid: mirror.metadata!.uid } });
      await expect(admin.get(pods, refOf(mirror))).rejects.toMatchObject({ code: 404 });
    });
  });
}

function withoutAutomount({ spec, ...pod }: Pod): Pod {
  const { automountServiceAccountToken: _, ...rest } = spec!;
  return { ...pod, spec: rest };
}
