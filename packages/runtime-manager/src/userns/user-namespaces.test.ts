import { seededRandom } from '@rxlet/component-base';
import { createVirtualClock, recordingMetrics, type RecordingMetrics } from '@rxlet/component-base/testing';
import { NamespaceMode } from '@rxlet/cri-api';
import { createFakeRuntime, discardLogs } from '@rxlet/fake-cri';
import { createMemoryFiles, type MemoryFiles } from '@rxlet/node-files/testing';
import { testPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { createManagerBench, type ManagerBench } from '../testing/manager-bench.ts';
import { type RecordingRuntime, recordingRuntime } from '../testing/recording-runtime.ts';

const UNIT = 65_536;
const SMALL_POOL = { firstId: UNIT, count: 2 * UNIT, idsPerPod: UNIT };
const pod = (name: string, spec = {}) =>
  testPod({
    name,
    spec: { hostUsers: false, securityContext: {}, ...spec },
    containers: [{ terminationMessagePath: '/m' }],
  });
const usersFrom = (slot: number) => {
  const ids = [{ hostId: slot * UNIT, containerId: 0, length: UNIT }];
  return { mode: NamespaceMode.POD, uids: ids, gids: ids };
};

function bench(
  files: MemoryFiles = createMemoryFiles({ files: { '/etc/hosts': '' } }),
): ManagerBench & RecordingRuntime & { readonly metrics: RecordingMetrics } {
  const clock = createVirtualClock();
  const fake = createFakeRuntime({ clock, random: seededRandom(2), logs: discardLogs }, { runtimeHandlers: ['kata'] });
  const recording = recordingRuntime(fake.runtime);
  const options = { userIds: SMALL_POOL };
  const metrics = recordingMetrics();
  return {
    ...recording,
    ...createManagerBench({
      clock,
      runtime: recording.runtime,
      images: fake.images,
      files,
      ports: { metrics },
      options,
    }),
    metrics,
  };
}

/** Returns the users of the last sandbox. */
const lastUsers = ({ sandboxConfigs }: RecordingRuntime) =>
  sandboxConfigs.at(-1)?.linux?.securityContext?.namespaceOptions?.usernsOptions;

describe('a pod with users of its own', () => {
  it('has a range of ids in its sandbox, its containers and their mounts', async () => {
    const b = bench();
    expect((await b.sync(pod('web'))).error).toBeUndefined();
    expect(lastUsers(b)).toMatchObject(usersFrom(1));
    const [container] = b.containerConfigs;
    expect(container?.linux?.securityContext?.namespaceOptions?.usernsOptions).toMatchObject(usersFrom(1));
    const { uids, gids } = usersFrom(1);
    expect(container?.mounts).toMatchObject([
      { containerPath: '/etc/hosts', uidMappings: uids, gidMappings: gids },
      { containerPath: '/m', uidMappings: uids, gidMappings: gids },
    ]);
  });

  it('keeps its range over a restart of the agent, and no other pod gets it', async () => {
    const first = bench();
    await first.sync(pod('a'));
    await first.sync(pod('b'));
    expect(lastUsers(first)).toMatchObject(usersFrom(2));
    const restarted = bench(first.files);
    const { error } = await restarted.sync(pod('c'));
    expect(error?.message).toContain('could not find an empty slot to allocate a user namespace');
    await restarted.sync(pod('b'));
    expect(lastUsers(restarted)).toMatchObject(usersFrom(2));
  });

  it('frees its range with its directory', async () => {
    const b = bench();
    await b.sync(pod('a'));
    await b.manager.killPod(pod('a'), await b.status(pod('a')));
    expect((await b.manager.removePod(await b.status(pod('a')))).error).toBeUndefined();
    expect(b.files.paths().filter((path) => path.includes('/pods/uid-a'))).toEqual([]);
    await b.sync(pod('b'));
    expect(lastUsers(b)).toMatchObject(usersFrom(1));
  });

  it('gets no range while the record of another pod cannot be read', async () => {
    const b = bench();
    b.files.put('/var/lib/kubelet/pods/uid-x/userns', '{');
    const { error } = await b.sync(pod('a'));
    expect(error?.message).toContain('cannot use /var/lib/kubelet/pods/uid-x/userns: invalid user namespace mappings');
    b.files.remove('/var/lib/kubelet/pods/uid-x');
    expect((await b.sync(pod('a'))).error).toBeUndefined();
  });

  it('is counted, and so is a failure of its start', async () => {
    const b = bench();
    const count = (name: string) => b.metrics.values.get(`kubelet_started_user_namespaced_pods_${name}`);
    await b.sync(pod('a', { hostUsers: true }));
    expect(count('total')).toBeUndefined();
    await b.sync(pod('b'));
    expect([count('total'), count('errors_total')]).toEqual([1, undefined]);
    await b.sync(pod('c'));
    await b.sync(pod('d'));
    expect([count('total'), count('errors_total')]).toEqual([3, 1]);
  });

  it('gets no sandbox from a runtime without user namespaces', async () => {
    const b = bench();
    const status = b.runtime.status;
    Object.assign(b.runtime, {
      status: async (...call: Parameters<typeof status>) => ({ ...(await status(...call)), runtimeHandlers: [] }),
    });
    const { error } = await b.sync(pod('a'));
    expect(error?.message).toContain("can't set `spec.hostUsers: false`, runtime does not support user namespaces");
    expect(b.sandboxConfigs).toEqual([]);
  });
});
