import { createEventLog } from '@rxlet/component-base/events';
import { noopMetrics } from '@rxlet/component-base/metrics';
import { createVirtualClock, recordingLogger } from '@rxlet/component-base/testing';
import type { PersistentVolumeClaim, PersistentVolumeClaimStatus, Pod } from '@rxlet/kube-api';
import { describe, expect, it } from 'vitest';
import { imagePlugin } from '../plugins/image.ts';
import { createVolumeOperations } from '../reconcile/volume-operations.ts';
import { createActualState } from '../reconcile/volume-states.ts';
import { createVolumeMetrics } from '../volume-metrics.ts';
import { createVolumeExpansion } from './volume-expansion.ts';
import { type ExpansionFailure, VolumeExpansionError } from '@rxlet/agent-api/volumes';

const { signal } = new AbortController();
const pod: Pod = { metadata: { name: 'db', namespace: 'ns', uid: 'u' }, spec: { nodeName: 'node1', containers: [] } };
const SUCCEEDED = 'MountVolume.NodeExpandVolume succeeded for volume "pv" node1';

interface BenchOptions {
  readonly status?: PersistentVolumeClaimStatus;
  readonly claim?: PersistentVolumeClaim;
  readonly readOnly?: boolean;
}

function createBench({ status = {}, claim = {}, readOnly = false }: BenchOptions = {}) {
  const clock = createVirtualClock({ startMs: Date.UTC(2026, 0, 1) });
  const events = createEventLog(clock);
  const current = {
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '2Gi' } }, ...claim.spec },
    metadata: { name: 'data', namespace: 'ns', uid: 'c', resourceVersion: '7', ...claim.metadata },
    status: { capacity: { storage: '1Gi' }, ...status },
    capacity: '2Gi',
  };
  const patches: unknown[] = [];
  const sizes: bigint[] = [];
  const state: { failure?: ExpansionFailure | undefined } = {};
  const operations = createVolumeOperations(clock);
  const actual = createActualState();
  actual.set('u', {
    name: 'data',
    plugin: imagePlugin(),
    isCertain: true,
    isPersistent: true,
    isTranslated: false,
    refreshes: false,
    mounted: {
      hostPath: '/v',
      readOnly,
      managed: true,
      seLinuxRelabel: false,
      seLinuxLabeled: false,
      innerVolumeSpecName: 'pv',
    },
  });
  const expansion = createVolumeExpansion({
    clock,
    events,
    operations,
    actual,
    logger: recordingLogger(),
    metrics: createVolumeMetrics(noopMetrics, clock),
    persistentVolumes: {
      claim: async () => ({ metadata: current.metadata, spec: current.spec as never, status: current.status }),
      volume: async () => ({ spec: { capacity: { storage: current.capacity } } }),
      async patchClaimStatus(_namespace, _name, patch) {
        patches.push(patch);
        return { metadata: current.metadata, spec: current.spec as never, status: current.status };
      },
    },
  });
  const volume = {
    pod,
    desired: {
      name: 'data',
      plugin: imagePlugin(),
      volume: {
        name: 'pv',
        persistent: {
          podVolumeName: 'vol',
          claim: { namespace: 'ns', name: 'data' },
          readOnly,
          mountOptions: [],
          spec: {},
          capacity: '2Gi',
        },
      },
    },
    definition: {
      async expand(requiredBytes: bigint) {
        sizes.push(requiredBytes);
        if (state.failure !== undefined) throw new VolumeExpansionError(state.failure, 'no space');
      },
    },
  };
  const seen = () => events.list().map(({ object, reason, message }) => `${object.kind} ${reason}: ${message}`);
  const settle = async () => {
    await clock.advance(1);
    await operations.idle();
    await clock.advance(1);
  };
  return {
    clock,
    actual,
    current,
    patches,
    sizes,
    state,
    seen,
    expansion,
    settle,
    duringSetUp: () => expansion.duringSetUp(volume, signal),
    async whileMounted() {
      expansion.whileMounted(volume);
      await settle();
    },
  };
}

const pending = { allocatedResources: { storage: '2Gi' }, allocatedResourceStatuses: { storage: 'NodeResizePending' } };
const GIGABYTE = 1n << 30n;

describe('an expansion during the set-up', () => {
  it('reports its progress and its end in the status of the claim', async () => {
    const conditions = [
      { type: 'FileSystemResizePending', status: 'True' },
      { type: 'Other', status: 'True' },
    ];
    const { duringSetUp, patches, sizes, seen } = createBench({ status: { ...pending, conditions } as never });
    await duringSetUp();
    expect(sizes).toEqual([2n * GIGABYTE]);
    expect(patches).toEqual([
      {
        metadata: { resourceVersion: '7' },
        status: { allocatedResourceStatuses: { storage: 'NodeResizeInProgress' } },
      },
      {
        metadata: { resourceVersion: '7' },
        status: {
          capacity: { storage: '2Gi' },
          allocatedResourceStatuses: null,
          conditions: [{ type: 'FileSystemResizePending', $patch: 'delete' }],
        },
      },
    ]);
    expect(seen()).toEqual([
      `Pod FileSystemResizeSuccessful: ${SUCCEEDED}`,
      `PersistentVolumeClaim FileSystemResizeSuccessful: ${SUCCEEDED}`,
    ]);
  });

  it('only reports the size when the controller knows no progress', async () => {
    const { duringSetUp, patches, sizes } = createBench();
    await duringSetUp();
    expect(sizes).toEqual([2n * GIGABYTE]);
    expect(patches).toEqual([{ metadata: { resourceVersion: '7' }, status: { capacity: { storage: '2Gi' } } }]);
  });

  it.each(['ControllerResizeInProgress', 'ControllerResizeInfeasible', 'NodeResizeInfeasible'])(
    'waits while the claim has %s',
    async (step) => {
      const allocatedResourceStatuses = { storage: step as never };
      const { duringSetUp, sizes, patches } = createBench({
        status: { ...pending, allocatedResourceStatuses },
      });
      await duringSetUp();
      expect([sizes, patches]).toEqual([[], []]);
    },
  );

  it('does nothing for a claim of the right size', async () => {
    const { duringSetUp, sizes } = createBench({ status: { capacity: { storage: '2048Mi' } } });
    await duringSetUp();
    expect(sizes).toEqual([]);
  });

  it('does not happen for a pod that only reads', async () => {
    const { duringSetUp, sizes, seen } = createBench({ status: pending as never, readOnly: true });
    await duringSetUp();
    expect(sizes).toEqual([]);
    const message = 'MountVolume.NodeExpandVolume failed for volume "pv" requested read-only file system';
    expect(seen()).toEqual([
      `Pod FileSystemResizeFailed: ${message}`,
      `PersistentVolumeClaim FileSystemResizeFailed: ${message}`,
    ]);
  });

  it.each<[ExpansionFailure, boolean, object[]]>([
    ['other', false, [{ conditions: [expect.objectContaining({ type: 'NodeResizeError', status: 'True' })] }]],
    [
      'infeasible',
      false,
      [
        {
          allocatedResourceStatuses: { storage: 'NodeResizeInfeasible' },
          conditions: [
            {
              type: 'NodeResizeError',
              status: 'True',
              lastTransitionTime: '2026-01-01T00:00:00Z',
              message: 'failed to expand pvc with no space',
            },
          ],
        },
      ],
    ],
    ['in-use', true, [{ conditions: [expect.anything()] }]],
    ['not-supported', false, [{ conditions: [expect.anything()] }]],
    ['transient', false, []],
  ])('lets the pod start when it fails as %s: %s', async (failure, mayStart, failed) => {
    const { duringSetUp, state, patches } = createBench({ status: pending as never });
    state.failure = failure;
    const outcome = await duringSetUp().then(
      () => true,
      () => false,
    );
    expect(outcome).toBe(mayStart);
    expect(patches.slice(1)).toEqual(failed.map((status) => ({ status })));
  });

  it('is left to the controller after a failure when the user has asked for another size', async () => {
    const { duringSetUp, state, patches, current } = createBench({ status: pending as never });
    state.failure = 'other';
    await expect(duringSetUp()).rejects.toThrow('no space');
    current.spec.resources = { requests: { storage: '1536Mi' } };
    await expect(duringSetUp()).rejects.toThrow('no space');
    expect(patches.at(-1)).toMatchObject({
      status: { allocatedResourceStatuses: { storage: 'NodeResizeInfeasible' } },
    });
  });

  it('ends for a driver that cannot expand when the controller knows no progress', async () => {
    const { duringSetUp, state, patches } = createBench();
    state.failure = 'not-supported';
    await duringSetUp();
    expect(patches).toEqual([]);
  });
});

describe('an expansion of a mounted volume', () => {
  it('happens once for each size', async () => {
    const { whileMounted, sizes, current } = createBench({ status: { capacity: { storage: '2Gi' } } });
    await whileMounted();
    expect(sizes).toEqual([]);
    current.capacity = '3Gi';
    Object.assign(current.status, { ...pending, allocatedResources: { storage: '3Gi' } });
    await whileMounted();
    await whileMounted();
    expect(sizes).toEqual([3n * GIGABYTE]);
  });

  it('is retried with back-off, and reports each failure', async () => {
    const { whileMounted, sizes, state, seen, clock, current } = createBench({ status: pending as never });
    current.capacity = '2Gi';
    state.failure = 'other';
    await whileMounted();
    await whileMounted();
    expect(sizes).toHaveLength(1);
    expect(seen()).toEqual([
      'Pod VolumeResizeFailed: NodeExpandVolume.NodeExpandVolume failed for volume "pv" : no space',
    ]);
    state.failure = undefined;
    await clock.advance(500);
    await whileMounted();
    expect(sizes).toHaveLength(2);
  });

  it('does not begin when the pod has ended meanwhile', async () => {
    const { whileMounted, actual, sizes, patches } = createBench({ status: pending as never });
    const checked = whileMounted();
    actual.delete('u', 'data');
    await checked;
    expect(sizes).toEqual([]);
    expect(patches).toEqual([]);
  });

  it('is given up for a driver that expands no volume in use', async () => {
    const { whileMounted, sizes, state, clock } = createBench({ status: pending as never });
    state.failure = 'in-use';
    await whileMounted();
    await clock.advance(10_000);
    await whileMounted();
    expect(sizes).toHaveLength(1);
  });

  it('happens on each node of a volume that several nodes write to', async () => {
    const shared = { spec: { accessModes: ['ReadWriteMany'] } } as never;
    const { whileMounted, sizes, patches, current } = createBench({ claim: shared });
    Object.assign(current.status, { capacity: { storage: '1Gi' } });
    await whileMounted();
    current.capacity = '3Gi';
    Object.assign(current.status, { capacity: { storage: '3Gi' }, allocatedResources: { storage: '3Gi' } });
    await whileMounted();
    expect(sizes).toEqual([2n * GIGABYTE, 3n * GIGABYTE]);
    expect(patches).toHaveLength(1);
  });
});
