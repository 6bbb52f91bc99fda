import { resources, subresources } from '@rxlet/kube-api/resources';
import { describe, expect, it } from 'vitest';
import { type ContractFixture, NODE, ownNode, refOf } from './contract-fixture.ts';

const { pods } = resources;

/** Defines the tests of what an API server does with pods. */
export function describePods(fixture: () => ContractFixture): void {
  describe('pods', () => {
    it('get defaults and a pending status, whatever the client sends', async () => {
      const { admin, podOf } = fixture();
      const pod = await admin.create(pods, { ...podOf(), status: { phase: 'Running' } });
      expect(pod.status).toMatchObject({ phase: 'Pending', qosClass: 'BestEffort' });
      expect(pod.metadata?.generation).toBe(1);
      expect(pod.spec).toMatchObject({
        restartPolicy: 'Always',
        dnsPolicy: 'ClusterFirst',
        terminationGracePeriodSeconds: 30,
        serviceAccountName: 'default',
        priority: 0,
      });
      expect(pod.spec?.tolerations).toHaveLength(2);
    });

    it('accept one binding', async () => {
      const { admin, createBoundPod } = fixture();
      const pod = await createBoundPod();
      expect(pod.spec?.nodeName).toBe(NODE);
      expect(pod.status?.conditions).toMatchObject([{ type: 'PodScheduled', status: 'True' }]);
      const target = { kind: 'Node', name: 'other' };
      const again = admin.createSubresource(subresources.podBinding, refOf(pod), {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name: pod.metadata!.name! },
        target,
      });
      await expect(again).rejects.toMatchObject({ reason: 'Conflict' });
    });

    it('keep their spec, but for the image and a few other fields', async () => {
      const { admin, createBoundPod } = fixture();
      const pod = await createBoundPod();
      const patched = await admin.patch(pods, refOf(pod), {
        type: 'merge',
        body: { spec: { activeDeadlineSeconds: 100 } },
      });
      expect(patched.metadata?.generation).toBe((pod.metadata?.generation ?? 0) + 1);
      for (const spec of [{ nodeName: 'other' }, { restartPolicy: 'Never' }, { hostname: 'x' }]) {
        await expect(admin.patch(pods, refOf(pod), { type: 'merge', body: { spec } })).rejects.toMatchObject({
          reason: 'Invalid',
          code: 422,
        });
      }
    });

    it('change their status only by its subresource', async () => {
      const { target, admin, createBoundPod } = fixture();
      const pod = await createBoundPod();
      await admin.patch(pods, refOf(pod), { type: 'merge', body: { status: { phase: 'Running' } } });
      expect((await admin.get(pods, refOf(pod))).status?.phase).toBe('Pending');
      const condition = { type: 'Ready', status: 'True' };
      const body = {
        metadata: { uid: pod.metadata!.uid },
        status: { phase: 'Running', conditions: [condition] },
        spec: { activeDeadlineSeconds: 7 },
      };
      const changed = await target.node.patch(pods, refOf(pod), { type: 'strategic', body }, { subresource: 'status' });
      expect(changed.status?.phase).toBe('Running');
      expect(changed.status?.conditions?.map(({ type }) => type).sort()).toEqual(['PodScheduled', 'Ready']);
      expect(changed.spec?.activeDeadlineSeconds).toBeUndefined();
      expect(changed.metadata?.generation).toBe(pod.metadata?.generation);
      const other = { metadata: { uid: '00000000-0000-0000-0000-000000000000' }, status: { phase: 'Failed' } };
      const rejected = target.node.patch(
        pods,
        refOf(pod),
        { type: 'strategic', body: other },
        { subresource: 'status' },
      );
      await expect(rejected).rejects.toMatchObject({
        reason: 'Invalid',
        code: 422,
        message: `Pod "${pod.metadata!.name!}" is invalid: metadata.uid: Invalid value: "${other.metadata.uid}": field is immutable`,
      });
      const { resourceVersion: _, ...metadata } = pod.metadata!;
      const replaced = admin.update(pods, { ...pod, metadata: { ...metadata, uid: other.metadata.uid } });
      await expect(replaced).rejects.toMatchObject({ reason: 'Conflict', code: 409 });
    });

    it('end gracefully: marked first, removed by their node', async () => {
      const { target, admin, createBoundPod } = fixture();
      const pod = await createBoundPod({ terminationGracePeriodSeconds: 20 });
      await admin.delete(pods, refOf(pod));
      const marked = await admin.get(pods, refOf(pod));
      expect(marked.metadata).toMatchObject({
        deletionGracePeriodSeconds: 20,
        generation: (pod.metadata?.generation ?? 0) + 1,
      });
      expect(marked.metadata?.deletionTimestamp).toMatch(/Z$/);
      // Only a shorter period has an effect.
      await admin.delete(pods, refOf(pod), { gracePeriodSeconds: 60 });
      expect((await admin.get(pods, refOf(pod))).metadata?.deletionGracePeriodSeconds).toBe(20);
      await admin.delete(pods, refOf(pod), { gracePeriodSeconds: 5 });
      expect((await admin.get(pods, refOf(pod))).metadata?.deletionGracePeriodSeconds).toBe(5);
      const wrong = { gracePeriodSeconds: 0, preconditions: { uid: '00000000-0000-0000-0000-000000000000' } };
      await expect(target.node.delete(pods, refOf(pod), wrong)).rejects.toMatchObject({
        reason: 'Conflict',
        code: 409,
      });
      await target.node.delete(pods, refOf(pod), {
        gracePeriodSeconds: 0,
        preconditions: { uid: pod.metadata!.uid },
      });
      await expect(admin.get(pods, refOf(pod))).rejects.toMatchObject({ code: 404 });
    });

    it('go at once when no node has them, or they have finished', async () => {
      const { target, admin, createPod, createBoundPod } = fixture();
      const unbound = await createPod();
      await admin.delete(pods, refOf(unbound));
      await expect(admin.get(pods, refOf(unbound))).rejects.toMatchObject({ code: 404 });
      const finished = await createBoundPod();
      await target.node.patch(
        pods,
        refOf(finished),
        { type: 'strategic', body: { status: { phase: 'Succeeded' } } },
        { subresource: 'status' },
      );
      await admin.delete(pods, refOf(finished));
      await expect(admin.get(pods, refOf(finished))).rejects.toMatchObject({ code: 404 });
    });

    it('stay until their finalizers are gone', async () => {
      const { admin, createBoundPod } = fixture();
      const pod = await createBoundPod({}, { finalizers: ['example.com/hold'] });
      await admin.delete(pods, refOf(pod), { gracePeriodSeconds: 0 });
      expect((await admin.get(pods, refOf(pod))).metadata?.deletionGracePeriodSeconds).toBe(0);
      const added = { metadata: { finalizers: ['example.com/hold', 'example.com/late'] } };
      await expect(admin.patch(pods, refOf(pod), { type: 'merge', body: added })).rejects.toMatchObject({
        reason: 'Invalid',
      });
      await admin.patch(pods, refOf(pod), { type: 'merge', body: { metadata: { finalizers: null } } });
      await expect(admin.get(pods, refOf(pod))).rejects.toMatchObject({ code: 404 });
    });

    it('support eviction, resize and debugging by subresources', async () => {
      const { target, admin, namespace, createBoundPod } = fixture();
      await ownNode(admin, target.node);
      const resourcesOf = { requests: { cpu: '100m' }, limits: { cpu: '200m' } };
      const pod = await createBoundPod({ containers: [{ name: 'c', image: 'busybox:1', resources: resourcesOf }] });
      const resized = { spec: { containers: [{ name: 'c', resources: { requests: { cpu: '150m' } } }] } };
      const after = await admin.patch(
        pods,
        refOf(pod),
        { type: 'strategic', body: resized },
        { subresource: 'resize' },
      );
      expect(after.spec?.containers[0]?.resources).toEqual({ requests: { cpu: '150m' }, limits: { cpu: '200m' } });
      const debug = { spec: { ephemeralContainers: [{ name: 'debug', image: 'busybox:1' }] } };
      const debugged = await admin.patch(
        pods,
        refOf(pod),
        { type: 'strategic', body: debug },
        { subresource: 'ephemeralcontainers' },
      );
      expect(debugged.spec?.ephemeralContainers).toMatchObject([{ name: 'debug' }]);
      await admin.createSubresource(subresources.podEviction, refOf(pod), {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { name: pod.metadata!.name!, namespace },
      });
      expect((await admin.get(pods, refOf(pod))).metadata?.deletionTimestamp).toBeDefined();
    });
  });
}
