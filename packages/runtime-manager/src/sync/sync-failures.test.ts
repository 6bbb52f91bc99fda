import { imageFailure } from '../testing/direct-image-ensurer.ts';
import { createManagerBench, type ManagerBench, type ManagerBenchParts } from '../testing/manager-bench.ts';
import { seededRandom } from '@rxlet/component-base';
import { createVirtualClock, recordingMetrics } from '@rxlet/component-base/testing';
import { type RuntimeService, ServiceError, StatusCode } from '@rxlet/cri-api';
import { createFakeRuntime, createMemoryLogs, type FakeRuntime } from '@rxlet/fake-cri';
import { testPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';

interface Bench extends ManagerBench {
  readonly fake: FakeRuntime;
}

function bench(parts: Partial<ManagerBenchParts> & { wrap?: (runtime: RuntimeService) => object } = {}): Bench {
  const { wrap, ...rest } = parts;
  const clock = createVirtualClock();
  const fake = createFakeRuntime({ clock, random: seededRandom(2), logs: createMemoryLogs() });
  const runtime = { ...fake.runtime, ...wrap?.(fake.runtime) };
  return { ...createManagerBench({ clock, runtime, images: fake.images, ...rest }), fake };
}

describe('a sync with a failure', () => {
  it('leaves a container without its image waiting with the reason, and starts the others', async () => {
    const b = bench({
      ports: {
        images: {
          ensureImageExists: async ({ image }) => {
            if (image === 'gone') throw imageFailure('ErrImagePull', 'no such image');
            return { imageRef: 'any' };
          },
        },
      },
    });
    await b.fake.images.pullImage({ image: { image: 'any' } });
    const pod = testPod({ containers: [{ name: 'a', image: 'gone' }, { name: 'b' }] });
    const { results, error } = await b.sync(pod);
    const failure = { action: 'StartContainer', target: 'a', reason: 'ErrImagePull', message: 'no such image' };
    expect(results.slice(1)).toEqual([failure, { action: 'StartContainer', target: 'b' }]);
    expect(error?.message).toBe('failed to "StartContainer" for "a" with ErrImagePull: "no such image"');
    expect(b.eventTexts()).toContain('Failed: Error: ErrImagePull');
  });

  it('counts each attempt to start a pod, also one whose resources are not there', async () => {
    const metrics = recordingMetrics();
    const b = bench({ ports: { metrics } });
    await b.fake.images.pullImage({ image: { image: 'any' } });
    const pod = testPod();
    let isReady = false;
    const prepareSandbox = async () => {
      if (!isReady) throw new Error('not there');
    };
    const counts = () =>
      ['', '_errors'].map((suffix) => metrics.values.get(`kubelet_started_pods${suffix}_total`) ?? 0);
    await b.manager.syncPod(pod, await b.status(pod), { prepareSandbox });
    expect(counts()).toEqual([1, 0]);
    isReady = true;
    await b.manager.syncPod(pod, await b.status(pod), { prepareSandbox });
    expect(counts()).toEqual([2, 0]);
  });

  it('creates nothing for a configuration that cannot be generated', async () => {
    const b = bench();
    const env = [{ name: 'X', valueFrom: { configMapKeyRef: { name: 'settings', key: 'x' } } }];
    const { error } = await b.sync(testPod({ containers: [{ env }] }));
    expect(error?.failures).toEqual([
      {
        action: 'StartContainer',
        target: 'app',
        reason: 'CreateContainerConfigError',
        message: "couldn't get configMap default/settings, no kubeClient defined",
      },
    ]);
    expect(b.fake.snapshot().containers).toEqual([]);
  });

  it('creates no container whose resources cannot be recorded', async () => {
    const b = bench();
    const of = (cpu: string) => testPod({ containers: [{ resources: { limits: { cpu } } }] });
    await b.settle(of('1'));
    b.fake.exitContainer(await b.idOf(of('1'), 'app'), 1);
    b.files.fault = (operation) => {
      if (operation === 'replaceFile') throw new Error('ENOSPC: no space left on device');
    };
    const message = 'cannot write /var/lib/kubelet/actuated_pods_state: ENOSPC: no space left on device';
    const { error } = await b.sync(of('2'));
    expect(error?.failures).toEqual([
      { action: 'StartContainer', target: 'app', reason: 'CreateContainerConfigError', message },
    ]);
    expect(b.eventTexts()).toContain(`Failed: Error: ${message}`);
    expect(await b.containers(of('2'))).toEqual(['app/0 exited']);
  });

  it('reports the error of a call and that of the clean-up after it', async () => {
    const failure = new SuppressedError(new Error('EIO: close'), new Error('ENOSPC: write'));
    const b = bench({ wrap: () => ({ runPodSandbox: () => Promise.reject(failure) }) });
    const { error } = await b.sync(testPod());
    expect(error?.failures[0]?.message).toContain('ENOSPC: write; clean-up failed: EIO: close');
    const broken = bench({ wrap: () => ({ stopPodSandbox: () => Promise.reject(failure) }) });
    await broken.settle(testPod());
    const killed = await broken.manager.killPod(testPod(), await broken.status(testPod()));
    expect(killed.error?.failures.at(-1)?.message).toBe('ENOSPC: write; clean-up failed: EIO: close');
  });

  it('starts no container with hooks when there is no hook runner', async () => {
    const b = bench();
    const { error } = await b.sync(
      testPod({ containers: [{ lifecycle: { postStart: { exec: { command: ['x'] } } } }] }),
    );
    expect(error?.failures[0]).toMatchObject({ reason: 'CreateContainerConfigError' });
    expect(b.fake.snapshot().containers).toEqual([]);
  });

  it('kills a container whose postStart hook fails', async () => {
    const postStart = (): Promise<void> => Promise.reject(new Error('hook broke'));
    const b = bench({ ports: { hooks: { postStart, preStop: () => Promise.resolve() } } });
    const pod = testPod({ containers: [{ lifecycle: { postStart: { exec: { command: ['x'] } } } }] });
    const { error } = await b.sync(pod);
    expect(error?.failures[0]).toMatchObject({ reason: 'PostStartHookError', message: 'hook broke' });
    expect(await b.containers(pod)).toEqual(['app/0 exited']);
    expect(b.eventTexts()).toContain('FailedPostStartHook: PostStartHook failed');
    expect(b.eventTexts()).toContain('Killing: FailedPostStartHook');
  });

  it('creates no sandbox for an unknown runtime class', async () => {
    const b = bench();
    const { error } = await b.sync(testPod({ spec: { runtimeClassName: 'gvisor' } }));
    expect(error?.failures[0]).toMatchObject({ action: 'CreatePodSandbox', reason: 'CreatePodSandboxError' });
    expect(b.fake.snapshot().sandboxes).toEqual([]);
  });

  const steps = [
    ['runPodSandbox', 'CreatePodSandboxError'],
    ['podSandboxStatus', 'CreatePodSandboxError'],
    ['imageStatus', 'ErrImagePull'],
    ['pullImage', 'ErrImagePull'],
    ['createContainer', 'CreateContainerError'],
    ['startContainer', 'RunContainerError'],
  ] as const;
  it.each(steps)('fails at %s with %s, and the next sync recovers', async (rpc, reason) => {
    const b = bench();
    const pod = testPod();
    const status = await b.status(pod);
    b.fake.failNext(rpc, new ServiceError(StatusCode.Internal, 'not today'));
    const { error } = await b.manager.syncPod(pod, status);
    expect(error?.failures.map((failure) => failure.reason)).toEqual([reason]);
    await b.settle(pod);
    expect((await b.status(pod)).containers.filter(({ state }) => state === 'running')).toHaveLength(1);
    expect((await b.status(pod)).sandboxes.filter(({ state }) => state === 'ready')).toHaveLength(1);
  });

  it('records the runtime’s message for a sandbox in the kubelet’s format', async () => {
    const b = bench();
    b.fake.failNext('runPodSandbox', fromClient(StatusCode.Unknown, 'failed to setup network'));
    const { error } = await b.sync(testPod());
    const text = 'rpc error: code = Unknown desc = failed to setup network';
    expect(error?.failures[0]?.message).toBe(`Failed to create sandbox for pod "web_default(uid-web)": ${text}`);
    expect(b.eventTexts()).toContain(`FailedCreatePodSandBox: Failed to create pod sandbox: ${text}`);
  });

  it('records only the runtime’s message for a container, with its name for its id', async () => {
    const b = bench();
    b.fake.failNext('createContainer', fromClient(StatusCode.Unknown, 'no space left'));
    expect((await b.sync(testPod())).error?.failures[0]?.message).toBe('no space left');
    expect(b.eventTexts()).toContain('Failed: Error: no space left');
    const other = bench({
      wrap: (runtime) => ({
        startContainer: ({ containerId }: { containerId: string }) =>
          Promise.reject(fromClient(StatusCode.Unknown, `cannot start ${containerId}`)),
        createContainer: runtime.createContainer,
      }),
    });
    const { error } = await other.sync(testPod());
    expect(error?.failures[0]?.message).toBe(`cannot start ${await other.idOf(testPod(), 'app')}`);
    expect(other.eventTexts()).toContain('Failed: Error: cannot start app');
  });

  it('records no event for the sandbox of a terminating pod', async () => {
    const b = bench();
    const pod = testPod();
    b.fake.failNext('runPodSandbox', new ServiceError(StatusCode.Internal, 'not today'));
    const result = await b.manager.syncPod(pod, await b.status(pod), { isTerminationRequested: () => true });
    expect(result).toEqual({ results: [] });
    expect(b.eventTexts().filter((text) => text.startsWith('Failed'))).toEqual([]);
  });
});

describe('after a call that timed out although it took effect, a sync', () => {
  const timedOut = (): never => {
    throw new ServiceError(StatusCode.DeadlineExceeded, 'too slow');
  };

  it.each(['runPodSandbox', 'createContainer', 'startContainer'] as const)('adopts the result of %s', async (rpc) => {
    const wrap = (runtime: RuntimeService): object => ({
      [rpc]: (request: object) => (runtime[rpc] as (request: object) => Promise<unknown>)(request).then(timedOut),
    });
    const b = bench({ wrap });
    const pod = testPod();
    const { error } = await b.sync(pod);
    expect(error).toBeUndefined();
    expect(await b.sandboxes(pod)).toEqual(['0 ready']);
    expect(await b.containers(pod)).toEqual(['app/0 running']);
  });

  it('adopts the result also when the runtime only reports a reserved name', async () => {
    const wrap = (runtime: RuntimeService): object => ({
      runPodSandbox: async (request: object) => {
        const { podSandboxId } = await runtime.runPodSandbox(request);
        throw new ServiceError(
          StatusCode.Unknown,
          `failed to reserve sandbox name "web_default_uid-web_0": name "web_default_uid-web_0" is reserved for "${podSandboxId}"`,
        );
      },
    });
    const b = bench({ wrap });
    expect((await b.sync(testPod())).error).toBeUndefined();
    expect(await b.sandboxes(testPod())).toEqual(['0 ready']);
  });

  it('starts an unstarted container', async () => {
    const b = bench();
    const pod = testPod();
    b.fake.failNext('startContainer', new ServiceError(StatusCode.DeadlineExceeded, 'too slow'));
    expect((await b.sync(pod)).error?.failures[0]).toMatchObject({ reason: 'RunContainerError' });
    await b.settle(pod);
    expect(await b.containers(pod)).toEqual(['app/0 running']);
    expect(b.eventTexts().filter((text) => /^(Created|Started)/.test(text))).toEqual([
      'Created: Container created',
      'Started: Container started',
    ]);
  });

  it('removes an unstarted container that is too old or has another definition before it is replaced', async () => {
    const b = bench();
    const pod = testPod();
    b.fake.failNext('startContainer', new ServiceError(StatusCode.DeadlineExceeded, 'too slow'));
    const { error } = await b.sync(pod);
    expect(error?.failures[0]).toMatchObject({ reason: 'RunContainerError' });
    expect(await b.containers(pod)).toEqual(['app/0 created']);
    await b.clock.advance(10_000);
    await b.settle(pod);
    expect(await b.containers(pod)).toEqual(['app/1 running']);

    const other = bench();
    other.fake.failNext('startContainer', new ServiceError(StatusCode.Internal, 'no'));
    await other.sync(pod);
    const changed = testPod({ containers: [{ image: 'app:2' }] });
    await other.settle(changed);
    expect(await other.containers(changed)).toEqual(['app/1 running']);
  });

  it('does not replace a container that cannot be started each time', async () => {
    const b = bench();
    const pod = testPod();
    b.fake.setFailpoint('startContainer', 'error(internal: no such command)');
    for (let second = 0; second < 60; second++) {
      await b.sync(pod);
      await b.clock.advance(1000);
    }
    expect(b.fake.calls.get('createContainer')).toBe(6);
    expect(b.fake.snapshot().containers).toHaveLength(1);
    expect((await b.sync(pod)).error?.failures[0]).toMatchObject({ message: 'no such command' });
  });
});

/** An error as the gRPC client has it: the runtime's words apart from a line of its own. */
function fromClient(code: StatusCode, details: string): Error {
  return Object.assign(new ServiceError(code, `Call at unix:///run/x.sock: ${details}`), {
    details,
    outcome: 'rejected',
  });
}
