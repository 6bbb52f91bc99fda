import { KubeError } from '@rxlet/kube-api/client';
import type { PodStatusUpdate } from '@rxlet/agent-api/statuses';
import { createMemoryKube } from '@rxlet/kube-api/testing';
import { noopLogger } from '@rxlet/component-base';
import type { Pod, PodStatus } from '@rxlet/kube-api';
import { resources } from '@rxlet/kube-api/resources';
import { testPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { createApiStatusSink } from './api-status-sink.ts';

function setUp(apiPod: Pod | undefined) {
  const kube = createMemoryKube();
  if (apiPod !== undefined) kube.put(resources.pods, apiPod);
  const sink = createApiStatusSink({
    client: kube.main,
    contributedConditionTypes: () => ['mine'],
    logger: noopLogger,
  });
  const publish = async (update: Partial<PodStatusUpdate> & { pod: Pod; status: PodStatus }): Promise<string[]> => {
    const before = kube.requests.length;
    await sink.publish({ version: 1, finished: false, ...update }, new AbortController().signal, () => update.status);
    return kube.requests.slice(before).map(({ verb, resource }) => `${verb} ${resource}`);
  };
  const stored = () => kube.peek(resources.pods, { name: pod.metadata!.name!, namespace: pod.metadata!.namespace });
  return { kube, publish, stored };
}

const pod = testPod({ status: { phase: 'Pending', conditions: [{ type: 'gate', status: 'True' }] } });
const deleting: Pod = { ...pod, metadata: { ...pod.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };

describe('createApiStatusSink', () => {
  it('patches what differs, with the UID, and nothing the second time', async () => {
    const { kube, publish, stored } = setUp(pod);
    const status: PodStatus = { phase: 'Running', conditions: [{ type: 'mine', status: 'True' }] };
    expect(await publish({ pod, status })).toEqual(['get pods', 'patch pods/status']);
    expect(kube.requests.at(-1)?.body).toMatchObject({
      metadata: { uid: pod.metadata?.uid },
      status: { phase: 'Running' },
    });
    expect(
      stored()
        ?.status?.conditions?.map(({ type }) => type)
        .sort(),
    ).toEqual(['gate', 'mine']);
    expect(await publish({ pod, status })).toEqual(['get pods']);
  });

  it('deletes a pod that ends on request, once the node has finished it', async () => {
    const { kube, publish, stored } = setUp(deleting);
    const status: PodStatus = { phase: 'Failed' };
    expect(await publish({ pod: deleting, status })).toEqual(['get pods', 'patch pods/status']);
    expect(await publish({ pod: deleting, status, finished: true })).toEqual(['get pods', 'delete pods']);
    expect(kube.requests.at(-1)?.body).toEqual({ gracePeriodSeconds: 0, preconditions: { uid: pod.metadata?.uid } });
    expect(stored()).toBeUndefined();
  });

  it('rejects when a deletion conflicts, so that it is repeated', async () => {
    const { kube, publish, stored } = setUp(deleting);
    const ended = { pod: deleting, status: { phase: 'Failed' } as const, finished: true };
    kube.onRequest = ({ verb }) => {
      if (verb === 'delete') throw new KubeError('Conflict', 'the object has been modified', { code: 409 });
    };
    await expect(publish(ended)).rejects.toThrow('modified');
    kube.onRequest = undefined;
    expect(await publish(ended)).toEqual(['get pods', 'delete pods']);
    expect(stored()).toBeUndefined();
  });

  it('reports nothing for a pod that is gone or has been replaced', async () => {
    const status: PodStatus = { phase: 'Running' };
    expect(await setUp(undefined).publish({ pod, status })).toEqual(['get pods']);
    const other = { ...pod, metadata: { ...pod.metadata, uid: 'other' } };
    expect(await setUp(other).publish({ pod, status })).toEqual(['get pods']);
  });

  describe('the status of a rejected pod', () => {
    const status: PodStatus = { phase: 'Failed', reason: 'OutOfpods', message: 'Pod was rejected: too many' };

    it('takes one request, by the pod that was rejected', async () => {
      const { publish, stored } = setUp(pod);
      expect(await publish({ pod, status })).toEqual(['patch pods/status']);
      expect(stored()?.status).toMatchObject({ ...status, conditions: [{ type: 'gate' }] });
    });

    it('is patched again where another writer has changed it', async () => {
      const { publish, stored } = setUp({ ...pod, status: { ...pod.status, nominatedNodeName: 'x', message: 'y' } });
      const stale = { ...pod, status: { ...pod.status, message: status.message } } as Pod;
      expect(await publish({ pod: stale, status })).toEqual(['patch pods/status', 'patch pods/status']);
      expect(stored()?.status).toMatchObject(status);
    });

    it('is not written to a pod that has taken the name', async () => {
      const other = { ...pod, metadata: { ...pod.metadata, uid: 'other' } };
      const { publish, stored } = setUp(other);
      expect(await publish({ pod, status })).toEqual(['patch pods/status', 'get pods']);
      expect(stored()?.status?.phase).toBe('Pending');
    });
  });

  it('reports a static pod by its mirror', async () => {
    const mirrorPod = { ...pod, metadata: { ...pod.metadata, uid: 'mirror' } };
    const { kube, publish } = setUp(mirrorPod);
    await publish({ pod, status: { phase: 'Running' }, mirrorPod });
    expect(kube.requests.at(-1)?.body).toMatchObject({ metadata: { uid: 'mirror' } });
  });

  it('rejects while the API server does, so that the status is sent again', async () => {
    const { kube, publish } = setUp(pod);
    kube.onRequest = () => {
      throw new KubeError('Forbidden', 'no', { code: 403 });
    };
    await expect(publish({ pod, status: { phase: 'Running' } })).rejects.toThrow('no');
  });
});
