import type { ContainerStep } from '@rxlet/agent-api/containers';
import { create } from '@bufbuild/protobuf';
import { seededRandom } from '@rxlet/component-base';
import { createVirtualClock, recordingLogger, type RecordingLogger } from '@rxlet/component-base/testing';
import { MountSchema } from '@rxlet/cri-api';
import { createFakeRuntime, createMemoryLogs, type FakeRuntime } from '@rxlet/fake-cri';
import { testPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { createManagerBench, type ManagerBench } from '../testing/manager-bench.ts';

function bench(
  ...steps: readonly Omit<ContainerStep, 'name'>[]
): ManagerBench & { readonly fake: FakeRuntime; readonly logger: RecordingLogger } {
  const containerSteps = steps.map((step, index) => ({ name: `step-${String(index)}`, ...step }));
  const logger = recordingLogger();
  const clock = createVirtualClock();
  const fake = createFakeRuntime({ clock, random: seededRandom(2), logs: createMemoryLogs() });
  return {
    ...createManagerBench({ clock, runtime: fake.runtime, images: fake.images, ports: { containerSteps, logger } }),
    fake,
    logger,
  };
}

describe('container steps', () => {
  it('run before a container is created, before it is started and after it has stopped', async () => {
    const seen: string[] = [];
    const b = bench({
      preCreate(_pod, { name }, config) {
        seen.push(`preCreate ${name} ${String(b.fake.snapshot().containers.length)}`);
        config.linux!.resources!.cpusetCpus = '2-3';
      },
      preStart: (_pod, { name }, id) => void seen.push(`preStart ${name} ${id}`),
      postStop: (id) => void seen.push(`postStop ${id}`),
    });
    const pod = testPod({ restartPolicy: 'Never', containers: [{ name: 'a' }, { name: 'b' }] });
    await b.settle(pod);
    const [a, other] = [await b.idOf(pod, 'a'), await b.idOf(pod, 'b')];
    expect(seen).toEqual(['preCreate a 0', `preStart a ${a}`, 'preCreate b 1', `preStart b ${other}`]);
    expect(b.fake.snapshot().containers[0]!.resources?.linux?.cpusetCpus).toBe('2-3');
    seen.length = 0;
    b.fake.exitContainer(a, 0);
    await b.sync(pod);
    expect(seen).toEqual([`postStop ${a}`]);
    await b.manager.killPod(pod, await b.status(pod));
    await b.manager.removePod(await b.status(pod));
    expect(seen.slice(1).sort()).toEqual([`postStop ${a}`, `postStop ${other}`].sort());
  });

  it('keep a container from being created when a pre-create step fails', async () => {
    let failure: Error | undefined = new Error('no CPUs left');
    const b = bench({
      preCreate() {
        if (failure !== undefined) throw failure;
      },
    });
    const pod = testPod({ containers: [{ terminationMessagePath: '/dev/termination-log' }] });
    const { error } = await b.sync(pod);
    expect(error?.failures).toEqual([
      { action: 'StartContainer', target: 'app', reason: 'PreCreateHookError', message: 'no CPUs left' },
    ]);
    expect(b.eventTexts()).toContain('Failed: Internal PreCreateContainer hook failed: no CPUs left');
    expect(b.fake.snapshot().containers).toEqual([]);
    expect(await b.files.nodeFiles.list('/var/lib/kubelet/pods/uid-web/containers/app')).toEqual([]);
    failure = undefined;
    expect((await b.settle(pod)).error).toBeUndefined();
    expect(await b.containers(pod)).toEqual(['app/0 running']);
  });

  it('keep a container from being started when a pre-start step fails', async () => {
    const b = bench({
      preStart(_pod, _container, id) {
        throw new Error(`cannot add ${id}`);
      },
    });
    const { error } = await b.sync(testPod());
    const { id } = b.fake.snapshot().containers[0]!;
    expect(error?.failures[0]).toMatchObject({ reason: 'PreStartHookError', message: `cannot add ${id}` });
    expect(b.eventTexts()).toContain('Failed: Internal PreStartContainer hook failed: cannot add app');
    expect(b.eventTexts()).not.toContain('Created: Container created');
    expect(await b.containers(testPod())).toEqual(['app/0 created']);
  });

  it('provide the mounts of volumes, without which the container is not created', async () => {
    const pod = testPod({
      containers: [{ volumeMounts: [{ name: 'data', mountPath: 'data/' }] }],
      spec: { volumes: [{ name: 'data', emptyDir: {} }] },
    });
    const without = bench();
    expect((await without.sync(pod)).error?.failures).toEqual([
      {
        action: 'StartContainer',
        target: 'app',
        reason: 'CreateContainerConfigError',
        message: 'cannot find volume "data" to mount into container "app"',
      },
    ]);
    expect(without.fake.snapshot().containers).toEqual([]);
    const mount = create(MountSchema, { containerPath: '/data', hostPath: '/volumes/data' });
    const b = bench({ preCreate: (_pod, _container, { mounts }) => void mounts.push(mount) });
    expect((await b.sync(pod)).error).toBeUndefined();
    expect(await b.containers(pod)).toEqual(['app/0 running']);
  });

  it('run in order, each on the configuration changed by the earlier ones', async () => {
    const seen: string[] = [];
    const append = (cpus: string): Omit<ContainerStep, 'name'> => ({
      preCreate(_pod, _container, config) {
        const resources = config.linux!.resources!;
        resources.cpusetCpus = [resources.cpusetCpus, cpus].filter(Boolean).join();
      },
      preStart: () => void seen.push(`preStart ${cpus}`),
    });
    const b = bench(append('1'), append('2'));
    await b.settle(testPod());
    expect(b.fake.snapshot().containers[0]!.resources?.linux?.cpusetCpus).toBe('1,2');
    expect(seen).toEqual(['preStart 1', 'preStart 2']);
  });

  it('log a failed post-stop step, and run the later ones', async () => {
    const stopped: string[] = [];
    const b = bench(
      {
        postStop() {
          throw new Error('device is busy');
        },
      },
      { postStop: (id) => void stopped.push(id) },
    );
    const pod = testPod();
    await b.settle(pod);
    const id = await b.idOf(pod, 'app');
    b.fake.exitContainer(id, 1);
    expect((await b.sync(pod)).error).toBeUndefined();
    expect(await b.containers(pod)).toEqual(['app/0 exited', 'app/1 running']);
    expect(stopped).toEqual([id]);
    expect(b.logger.lines).toContainEqual({
      level: 'error',
      message: 'internal PostStop hook failed',
      fields: { step: 'step-0', containerId: id, error: 'device is busy' },
    });
  });
});
